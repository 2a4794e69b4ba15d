/**
 * Lines through the places of a table where the value between the cells is the same. The marching squares are d3's, which
 * closes its rings around the table and around holes in it; here they become lines that end at the outermost cells.
 */

import { contours } from 'd3-contour';

export interface IsoLine {
  readonly level: number;
  /** In columns and rows: whole numbers are the middles of cells. */
  readonly points: readonly Point[];
}

type Point = readonly [x: number, y: number];
type Rows = readonly (readonly (number | null)[])[];

/** @param rows Of equal length; null = no value: no line goes through it. */
export function isoLines(rows: Rows, level: number): readonly IsoLine[] {
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  if (height < 2 || width < 2) return [];
  const values = rows.flatMap((row) => row.map((value) => value ?? Number.NaN));
  const { coordinates } = contours().size([width, height]).contour(values, level);
  // A cell's middle is at a half there, at a whole number here.
  const rings = coordinates.flat().map((ring) => ring.map(([x, y]): Point => [x! - 0.5, y! - 0.5]));
  return rings
    .flatMap((ring) => cut(ring, (point) => isBetweenValues(rows, point)))
    .map((points) => ({ level, points }));
}

function isBetweenValues(rows: Rows, [x, y]: Point): boolean {
  const known = (column: number, row: number): boolean => typeof rows[row]?.[column] === 'number';
  // Beside a hole d3 has no slope to follow and ends up in the middle of a cell.
  if (Number.isInteger(x) && Number.isInteger(y)) return false;
  const [left, right, low, high] = [Math.floor(x), Math.ceil(x), Math.floor(y), Math.ceil(y)];
  return known(left, low) && known(right, low) && known(left, high) && known(right, high);
}

/** The ring without the points that are not kept, in as many pieces as that leaves. */
function cut(ring: readonly Point[], isKept: (point: Point) => boolean): readonly (readonly Point[])[] {
  const pieces: Point[][] = [[]];
  for (const point of ring) {
    if (isKept(point)) pieces.at(-1)!.push(point);
    else if (pieces.at(-1)!.length > 0) pieces.push([]);
  }
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  // A ring begins anywhere: where it is cut elsewhere, its two ends are one line.
  if (pieces.length > 1 && first[0]?.join() === last.at(-1)?.join()) {
    pieces[0] = [...last, ...first.slice(1)];
    pieces.pop();
  }
  return pieces.filter(({ length }) => length > 1);
}
