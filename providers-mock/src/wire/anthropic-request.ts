/** Reads a request to Anthropic's messages. Renders nothing. */

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

/** @throws MalformedRequest naming the member that is wrong. */
export function readAnthropic(body: JsonObject): Asked {
  const messages = turnsAt(body, 'messages');
  const maxTokens = countAt(body, 'max_tokens');
  if (maxTokens === null) throw new MalformedRequest('max_tokens: Field required');
  return {
    model: textAt(body, 'model'),
    stream: flagAt(body, 'stream'),
    wantsUsage: true,
    inputTokens: estimateTokens([messages, body.system], body.tools),
    maxTokens,
    tool: chooseTool(toolsOf(body), wishOf(objectAt(body, 'tool_choice')), hasResult(messages.at(-1))),
  };
}

function toolsOf(body: JsonObject): readonly AskedTool[] {
  return listAt(body, 'tools').flatMap((tool) => {
    if (!isObject(tool) || typeof tool.name !== 'string') return [];
    return [{ name: tool.name, schema: tool.input_schema }];
  });
}

function wishOf(choice: JsonObject): ToolWish {
  switch (choice.type) {
    case 'none':
      return { kind: 'none' };
    case 'any':
      return { kind: 'required' };
    case 'tool':
      return { kind: 'named', name: textAt(choice, 'name') };
    default:
      return { kind: 'auto' };
  }
}

function hasResult(turn: JsonObject | undefined): boolean {
  return turn !== undefined && listAt(turn, 'content').some((part) => isObject(part) && part.type === 'tool_result');
}
