/** What `sim run --live` and `sim pressure` may be told of an endpoint and of what may be spent there. Reads nothing. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { readDuration } from '../scenario/duration.js';
import type { MaxTokensField } from '../transport/client-dialect.js';
import { numberAbove0, wholeNumber } from './option-values.js';

export interface EndpointOptions {
  readonly baseUrl?: string;
  readonly model?: string;
  readonly wire?: 'openai' | 'anthropic';
  readonly stream: boolean;
  readonly maxTokensField?: MaxTokensField;
  readonly apiKeyFile?: string;
  /** False: none is sent, whatever the environment has. */
  readonly key: boolean;
  readonly yes: boolean;
}

export interface BudgetOptions {
  readonly maxRequests?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxTime?: number;
  readonly maxErrors?: number;
}

/** Options that mean nothing without an endpoint to send to. */
export const LIVE_ONLY: readonly string[] = [
  'baseUrl',
  'model',
  'wire',
  'maxTokensField',
  'apiKeyFile',
  'yes',
  'keepPrompts',
  'maxRequests',
  'maxTokens',
  'maxCost',
  'maxTime',
  'maxErrors',
];

export function addEndpointOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'the endpoint, with or without /v1; default: $OPENAI_BASE_URL')
    .option('--model <id>', "the model's id there; default: $OPENAI_MODEL, else the scenario's own name")
    .addOption(
      new Option('--wire <name>', 'what the endpoint speaks (default: openai)').choices(['openai', 'anthropic']),
    )
    .option('--no-stream', 'ask for answers as a whole')
    .addOption(
      new Option(
        '--max-tokens-field <name>',
        'what the openai wire calls the longest answer; models that reason take the second (default: max_tokens)',
      ).choices(['max_tokens', 'max_completion_tokens']),
    )
    .option('--api-key-file <file>', 'a file with the key, readable by its owner alone; default: $OPENAI_API_KEY')
    .option('--no-key', 'send no key: the endpoint needs none')
    .option('--yes', 'send without asking first', false);
}

export function addBudgetOptions(command: Command): Command {
  return command
    .option('--max-requests <n>', 'send no more requests, retries and probe included', wholeNumber(1))
    .option('--max-tokens <n>', 'spend no more tokens, input and output together', wholeNumber(1))
    .option('--max-cost <x>', "spend no more money, by the scenario's live.prices", numberAbove0())
    .option('--max-time <d>', 'end after this long: 90s, 10m', durationMs)
    .option('--max-errors <n>', 'end after so many failures in a row (default: 10)', wholeNumber(1));
}

function durationMs(text: string): number {
  const reading = readDuration(text);
  if (reading.kind === 'problem' || reading.ms === 0) {
    throw new InvalidArgumentError('It is a duration above 0 with its unit: 90s, 10m.');
  }
  return reading.ms;
}
