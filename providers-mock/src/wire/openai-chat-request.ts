/** Reads a request to OpenAI's chat completions. Renders nothing. */

import {
  type Asked,
  type AskedTool,
  countAt,
  flagAt,
  isObject,
  type JsonObject,
  listAt,
  MalformedRequest,
  objectAt,
  textAt,
  turnsAt,
} from './asked.js';
import { estimateTokens } from './token-estimate.js';
import { chooseTool, type ToolWish } from './tool-choice.js';

/** As the API has it. */
const MOST_CHOICES = 128;

/**
 * @param model of the path, as Azure's deployments have it; it goes before the body's.
 * @throws MalformedRequest naming the member that is wrong.
 */
export function readOpenaiChat(body: JsonObject, model: string | null): Asked {
  const messages = turnsAt(body, 'messages');
  const choices = countAt(body, 'n') ?? 1;
  if (choices > MOST_CHOICES) throw new MalformedRequest(`n: must be at most ${MOST_CHOICES}, got ${choices}`);
  return {
    model: model ?? textAt(body, 'model'),
    stream: flagAt(body, 'stream'),
    wantsUsage: flagAt(objectAt(body, 'stream_options'), 'include_usage'),
    inputTokens: estimateTokens(messages, body.tools),
    choices,
    maxTokens: countAt(body, 'max_completion_tokens', 'max_tokens'),
    tool: chooseTool(toolsOf(body), wishOf(body.tool_choice), messages.at(-1)?.role === 'tool'),
  };
}

function toolsOf(body: JsonObject): readonly AskedTool[] {
  return listAt(body, 'tools').flatMap((tool) => {
    const { name, parameters } = isObject(tool) ? objectAt(tool, 'function') : {};
    return typeof name === 'string' ? [{ name, schema: parameters }] : [];
  });
}

function wishOf(choice: unknown): ToolWish {
  if (choice === 'none' || choice === 'required') return { kind: choice };
  if (!isObject(choice)) return { kind: 'auto' };
  return { kind: 'named', name: textAt(objectAt(choice, 'function'), 'name') };
}
