/**
 * A stream passed on piece by piece to its reader, while a watch is told how it goes: each piece, the end, an error, and
 * that the reader has left. Reads ahead of nobody, holds nothing back, changes nothing.
 */

/** Hears how a stream goes. Must not refer to the stream, or a dropped one could not be noticed. */
export interface StreamWatch<T> {
  /** The reader waits for the next piece. */
  awaited: boolean;
  piece(value: T): void;
  ended(): void;
  lost(error: unknown): void;
  /** The reader cancelled, or let go of the stream unread. */
  dropped(): void;
}

/** Tells early of a stream that nobody can read any more; when, or whether, is the garbage collector's choice. */
const forgotten: FinalizationRegistry<StreamWatch<never>> | undefined =
  typeof FinalizationRegistry === 'function' ? new FinalizationRegistry((watch) => watch.dropped()) : undefined;

/** The same pieces, one for each that the reader asks for. */
export function heldStream<T>(source: ReadableStream<T>, watch: StreamWatch<T>): ReadableStream<T> {
  const reader = source.getReader();
  let isClosed = false;
  const endIfRead = (): void => {
    // A source closes before its last piece is handed over, and then that piece is to be told of first.
    if (isClosed && !watch.awaited) watch.ended();
  };
  reader.closed.then(
    () => {
      isClosed = true;
      endIfRead();
    },
    (error: unknown) => watch.lost(error),
  );
  const stream = new ReadableStream<T>(
    {
      async pull(controller) {
        watch.awaited = true;
        try {
          const next = await reader.read();
          if (next.done) controller.close();
          else {
            watch.piece(next.value);
            controller.enqueue(next.value);
          }
        } finally {
          watch.awaited = false;
          endIfRead();
        }
      },
      cancel(reason) {
        watch.dropped();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  forgotten?.register(stream, watch);
  return stream;
}
