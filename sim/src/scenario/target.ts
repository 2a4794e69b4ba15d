/** The model that answers, as a scenario writes it: `provider/model`. */

import { z } from 'zod';
import { expected } from './quantities.js';
import type { TargetSettings } from './scenario.js';

const targetPattern = /^[^/]+\/.+$/;

export function target(): z.ZodType<string> {
  return z.string({ error: expected('provider/model') }).regex(targetPattern);
}

/** Only the first slash divides: a provider has none in its name, a model may. */
export function splitTarget(written: string): TargetSettings {
  const slash = written.indexOf('/');
  return { provider: written.slice(0, slash), model: written.slice(slash + 1) };
}
