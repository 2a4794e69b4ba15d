/** The dialects by name. */

import type { WireStyle } from './answer.js';
import { ANTHROPIC } from './anthropic.js';
import type { Dialect } from './dialect.js';
import { GEMINI } from './gemini.js';
import { OPENAI_CHAT } from './openai-chat.js';
import { OPENAI_RESPONSES } from './openai-responses.js';

export const DIALECTS: Readonly<Record<WireStyle, Dialect>> = {
  openai: OPENAI_CHAT,
  'openai-responses': OPENAI_RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
};
