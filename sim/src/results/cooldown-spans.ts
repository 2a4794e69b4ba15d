/**
 * When a key was cooling, as spans for a chart: overlapping ones are one. Beyond 1000 of them the half with the smallest
 * gaps between them is closed up, so a long run keeps its picture and loses detail that no eye can see.
 */

export interface Span {
  readonly from: number;
  readonly to: number;
}

const MOST_SPANS = 1000;

export class CooldownSpans {
  #spans: Span[] = [];

  /** At `t` the key's cooldown lasts until `until`. Told in order of `t`. */
  extend(t: number, until: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && t <= last.to) {
      this.#spans[this.#spans.length - 1] = { from: last.from, to: Math.max(last.to, until) };
    } else if (until > t) {
      this.#spans.push({ from: t, to: until });
      if (this.#spans.length > MOST_SPANS) this.#closeUp();
    }
  }

  /** What of them lies before `end`. */
  until(end: number): readonly Span[] {
    return this.#spans.filter(({ from }) => from < end).map(({ from, to }) => ({ from, to: Math.min(to, end) }));
  }

  #closeUp(): void {
    const gaps = this.#spans.slice(1).map(({ from }, i) => from - this.#spans[i]!.to);
    const median = [...gaps].sort((a, b) => a - b)[gaps.length >> 1]!;
    const joined: Span[] = [];
    for (const [i, span] of this.#spans.entries()) {
      const last = joined.at(-1);
      if (last !== undefined && gaps[i - 1]! <= median) joined[joined.length - 1] = { from: last.from, to: span.to };
      else joined.push(span);
    }
    this.#spans = joined;
  }
}
