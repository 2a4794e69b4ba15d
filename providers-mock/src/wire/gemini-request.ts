/**
 * Reads a request to Gemini's generateContent and streamGenerateContent. Its members are known in two spellings,
 * `maxOutputTokens` and `max_output_tokens`. Renders nothing.
 */

import { type Asked, type AskedTool, countAt, isObject, type JsonObject, listAt, turnsAt } from './asked.js';
import { estimateTokens } from './token-estimate.js';
import { chooseTool, type ToolWish } from './tool-choice.js';

/**
 * @param path what the path says: the model, and whether the answer is a stream.
 * @throws MalformedRequest naming the member that is wrong.
 */
export function readGemini(body: JsonObject, path: { readonly model: string; readonly stream: boolean }): Asked {
  const contents = turnsAt(body, 'contents');
  const last = contents.at(-1);
  return {
    ...path,
    wantsUsage: true,
    inputTokens: estimateTokens([contents, eitherOf(body, 'systemInstruction')], body.tools),
    maxTokens: countAt(eitherOf(body, 'generationConfig'), 'maxOutputTokens', 'max_output_tokens'),
    tool: chooseTool(toolsOf(body), wishOf(body), last !== undefined && hasResult(last)),
  };
}

function toolsOf(body: JsonObject): readonly AskedTool[] {
  const groups = listAt(body, 'tools').filter(isObject);
  const declared = groups.flatMap((group) => [
    ...listAt(group, 'functionDeclarations'),
    ...listAt(group, 'function_declarations'),
  ]);
  return declared.flatMap((tool) => {
    if (!isObject(tool) || typeof tool.name !== 'string') return [];
    return [{ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters }];
  });
}

function wishOf(body: JsonObject): ToolWish {
  const config = eitherOf(eitherOf(body, 'toolConfig'), 'functionCallingConfig');
  const [allowed] = [...listAt(config, 'allowedFunctionNames'), ...listAt(config, 'allowed_function_names')];
  if (config.mode === 'NONE') return { kind: 'none' };
  if (config.mode !== 'ANY') return { kind: 'auto' };
  return typeof allowed === 'string' ? { kind: 'named', name: allowed } : { kind: 'required' };
}

function hasResult(turn: JsonObject): boolean {
  return listAt(turn, 'parts').some(
    (part) => isObject(part) && ('functionResponse' in part || 'function_response' in part),
  );
}

/** The member in either spelling, where it is an object; otherwise one without members. */
function eitherOf(from: JsonObject, camel: string): JsonObject {
  const snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const value = from[camel] ?? from[snake];
  return isObject(value) ? value : {};
}
