/** Reads a request to OpenAI's responses. Renders nothing. */

import {
  type Asked,
  type AskedTool,
  countAt,
  flagAt,
  isObject,
  type JsonObject,
  listAt,
  textAt,
  turnsAt,
} from './asked.js';
import { estimateTokens } from './token-estimate.js';
import { chooseTool, type ToolWish } from './tool-choice.js';

/**
 * @param model of the path, as Azure's deployments have it; it goes before the body's.
 * @throws MalformedRequest naming the member that is wrong.
 */
export function readOpenaiResponses(body: JsonObject, model: string | null): Asked {
  const turns = typeof body.input === 'string' ? [] : turnsAt(body, 'input');
  const hasResult = turns.at(-1)?.type === 'function_call_output';
  return {
    model: model ?? textAt(body, 'model'),
    stream: flagAt(body, 'stream'),
    wantsUsage: true,
    inputTokens: estimateTokens([body.input, body.instructions], body.tools),
    maxTokens: countAt(body, 'max_output_tokens'),
    tool: chooseTool(toolsOf(body), wishOf(body.tool_choice), hasResult),
  };
}

function toolsOf(body: JsonObject): readonly AskedTool[] {
  return listAt(body, 'tools').flatMap((tool) => {
    if (!isObject(tool) || tool.type !== 'function' || typeof tool.name !== 'string') return [];
    return [{ name: tool.name, schema: tool.parameters }];
  });
}

function wishOf(choice: unknown): ToolWish {
  if (choice === 'none' || choice === 'required') return { kind: choice };
  return isObject(choice) && choice.type === 'function'
    ? { kind: 'named', name: textAt(choice, 'name') }
    : { kind: 'auto' };
}
