/**
 * How a scenario is run against a real endpoint: which environment variables name the endpoint, the key and the model, and
 * what tokens cost there. Holds names of variables, never what is in them.
 */

import { z } from 'zod';
import { flag, number, oneOf, text } from './quantities.js';
import type { LiveHints } from './scenario.js';

const variablePattern = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** The value is not repeated: it may be a key, written here by mistake. */
function variable(what: string): z.ZodType<string> {
  const message = `expected the name of the environment variable that holds ${what}, as OPENAI_API_KEY; never what is in it`;
  return z.string({ error: message }).regex(variablePattern, { error: message });
}

export function live(): z.ZodType<LiveHints> {
  const message = 'expected { baseUrlEnv, apiKeyEnv, modelEnv, wire, stream, maxTokensField, prices }';
  return z.strictObject(
    {
      baseUrlEnv: z.exactOptional(variable('the base URL')).describe('Default OPENAI_BASE_URL.'),
      apiKeyEnv: z.exactOptional(variable('the key')).describe('Default OPENAI_API_KEY.'),
      modelEnv: z.exactOptional(variable("the model's id")).describe('Default OPENAI_MODEL.'),
      wire: z.exactOptional(oneOf(['openai', 'anthropic'])).describe('What the endpoint speaks. Default openai.'),
      stream: z.exactOptional(flag()).describe('Whether answers are asked for as streams. Default true.'),
      maxTokensField: z
        .exactOptional(oneOf(['max_tokens', 'max_completion_tokens']))
        .describe(
          'How the openai wire says the longest answer; models that reason take the second. Default max_tokens.',
        ),
      prices: z
        .exactOptional(
          z.strictObject(
            {
              inputPerMillion: number({ min: 0 }).describe('Of a million input tokens.'),
              outputPerMillion: number({ min: 0 }).describe('Of a million output tokens.'),
              currency: text('the currency, as USD').prefault('USD').describe('Only for show.'),
            },
            { error: 'expected { inputPerMillion, outputPerMillion, currency }' },
          ),
        )
        .describe('What tokens cost. Without, nobody knows what a run will cost.'),
    },
    { error: message },
  );
}
