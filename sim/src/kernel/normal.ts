/**
 * The standard normal distribution: density, distribution function and its inverse, in double precision. Pure numbers,
 * no randomness: a sampler turns a uniform number into a normal one with `normalQuantile`, one draw a sample.
 */

/** φ(x). */
export function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/**
 * Φ(x) for x ≥ 0, to about 1e-15. Source: the Taylor series of G. Marsaglia, "Evaluating the Normal Distribution",
 * Journal of Statistical Software 11(4), 2004; all its terms are positive there, so nothing cancels.
 */
export function normalCdf(x: number): number {
  // 1 - Φ(8.3) is below half a unit in the last place of 1.
  if (x > 8.3) return 1;
  let term = x;
  let sum = x;
  for (let before = 0, odd = 3; sum !== before; odd += 2) {
    before = sum;
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + normalDensity(x) * sum;
}

/**
 * The x with Φ(x) = p, for p in (0, 1), to about 1 part in 10^16. Source: PPND16 of algorithm AS 241, M. J. Wichura, "The
 * Percentage Points of the Normal Distribution", Applied Statistics 37(3), 1988.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * centralRatio(0.180625 - q * q);
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const x = r <= 5 ? middleRatio(r - 1.6) : tailRatio(r - 5);
  return q < 0 ? -x : x;
}

// The three rational approximations of AS 241, coefficients as published (to double precision), by Horner's rule.

function centralRatio(r: number): number {
  const numerator =
    ((((((2509.0809287301227 * r + 33430.57558358813) * r + 67265.7709270087) * r + 45921.95393154987) * r +
      13731.69376550946) *
      r +
      1971.5909503065513) *
      r +
      133.14166789178438) *
      r +
    3.3871328727963665;
  const denominator =
    ((((((5226.495278852854 * r + 28729.085735721943) * r + 39307.89580009271) * r + 21213.794301586597) * r +
      5394.196021424751) *
      r +
      687.1870074920579) *
      r +
      42.31333070160091) *
      r +
    1;
  return numerator / denominator;
}

function middleRatio(r: number): number {
  const numerator =
    ((((((0.0007745450142783414 * r + 0.022723844989269184) * r + 0.2417807251774506) * r + 1.2704582524523684) * r +
      3.6478483247632045) *
      r +
      5.769497221460691) *
      r +
      4.630337846156546) *
      r +
    1.4234371107496835;
  const denominator =
    ((((((1.0507500716444169e-9 * r + 0.0005475938084995345) * r + 0.015198666563616457) * r + 0.14810397642748008) *
      r +
      0.6897673349851) *
      r +
      1.6763848301838038) *
      r +
      2.053191626637759) *
      r +
    1;
  return numerator / denominator;
}

function tailRatio(r: number): number {
  const numerator =
    ((((((2.0103343992922881e-7 * r + 2.7115555687434876e-5) * r + 0.0012426609473880784) * r + 0.026532189526576124) *
      r +
      0.29656057182850487) *
      r +
      1.7848265399172913) *
      r +
      5.463784911164114) *
      r +
    6.657904643501103;
  const denominator =
    ((((((2.0442631033899397e-15 * r + 1.421511758316446e-7) * r + 1.8463183175100548e-5) * r + 0.0007868691311456133) *
      r +
      0.014875361290850615) *
      r +
      0.1369298809227358) *
      r +
      0.599832206555888) *
      r +
    1;
  return numerator / denominator;
}
