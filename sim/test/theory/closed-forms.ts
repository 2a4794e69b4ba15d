/** What is known exactly of the queues: rates in requests a second, times in seconds. */

/** The probability that all of `c` servers are busy for an offered load `a`, with no room to wait (Erlang B). */
export function erlangB(c: number, a: number): number {
  let blocked = 1;
  for (let servers = 1; servers <= c; servers++) blocked = (a * blocked) / (servers + a * blocked);
  return blocked;
}

/** The probability that an arrival waits, with room for all to wait (Erlang C). */
export function erlangC(c: number, a: number): number {
  const blocked = erlangB(c, a);
  return blocked / (1 - (a / c) * (1 - blocked));
}

/** M/M/c: `lambda` arrivals and `mu` services a second and server. */
export function mmc(c: number, lambda: number, mu: number) {
  const waits = erlangC(c, lambda / mu);
  const spare = c * mu - lambda;
  return {
    wait: waits / spare,
    queue: (lambda * waits) / spare,
    waitsLonger: (t: number): number => waits * Math.exp(-spare * t),
  };
}

/** M/G/1 by Pollaczek and Khinchine: the mean wait, from the first two moments of a service. */
export function mg1Wait(lambda: number, mean: number, secondMoment: number): number {
  return (lambda * secondMoment) / (2 * (1 - lambda * mean));
}
