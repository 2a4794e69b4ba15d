/** All profiles, by name. */

import type { ProviderSpec } from '../models/provider.js';
import { ANTHROPIC } from './anthropic.js';
import { AZURE_OPENAI } from './azure-openai.js';
import { BEDROCK } from './bedrock.js';
import { DASHSCOPE } from './dashscope.js';
import { DEEPSEEK } from './deepseek.js';
import { GEMINI } from './gemini.js';
import { GENERIC } from './generic.js';
import { GROQ } from './groq.js';
import { LITELLM } from './litellm.js';
import { MINIMAX } from './minimax.js';
import { MISTRAL } from './mistral.js';
import { MOONSHOT } from './moonshot.js';
import { OLLAMA } from './ollama.js';
import { OPENAI } from './openai.js';
import { OPENROUTER } from './openrouter.js';
import type { ModelProfile, Profile } from './profile.js';
import { VLLM } from './vllm.js';
import { XAI } from './xai.js';
import { ZHIPU } from './zhipu.js';

export type ProfileName =
  | 'openai'
  | 'azure-openai'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'zhipu'
  | 'deepseek'
  | 'moonshot'
  | 'dashscope'
  | 'mistral'
  | 'groq'
  | 'openrouter'
  | 'xai'
  | 'minimax'
  | 'vllm'
  | 'ollama'
  | 'litellm'
  | 'generic';

const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  openai: OPENAI,
  'azure-openai': AZURE_OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  bedrock: BEDROCK,
  zhipu: ZHIPU,
  deepseek: DEEPSEEK,
  moonshot: MOONSHOT,
  dashscope: DASHSCOPE,
  mistral: MISTRAL,
  groq: GROQ,
  openrouter: OPENROUTER,
  xai: XAI,
  minimax: MINIMAX,
  vllm: VLLM,
  ollama: OLLAMA,
  litellm: LITELLM,
  generic: GENERIC,
};

export const profileNames: readonly [ProfileName, ...ProfileName[]] = Object.keys(PROFILES) as [
  ProfileName,
  ...ProfileName[],
];

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}

export function profileOf(name: ProfileName): Profile {
  return PROFILES[name];
}

/** The model of that name or, where the profile has none, its first. */
export function modelProfile({ models }: Profile, name: string): ModelProfile {
  const own = Object.hasOwn(models, name) ? models[name] : undefined;
  return own ?? (Object.values(models)[0] as ModelProfile);
}

/** The profile as a provider that can be created, without where its facts come from. */
export function profileProvider({ quotas, models }: Profile): ProviderSpec {
  return {
    quotas: quotas.map(({ value }) => value),
    models: Object.fromEntries(
      Object.entries(models).map(([name, model]) => [
        name,
        { quotas: model.quotas.map(({ value }) => value), ...(model.server && { server: model.server.value }) },
      ]),
    ),
  };
}
