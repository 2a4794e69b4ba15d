/** The list of models, as each provider writes it. */

type Wire = 'openai' | 'anthropic' | 'gemini';

/** When a model of a mock was made: a date like any other, and always the same. */
const CREATED_S = 1_767_225_600;
const CREATED_AT = '2026-01-01T00:00:00Z';

export function modelList(wire: Wire, names: readonly string[]): object {
  const entries = names.map((name) => modelEntry(wire, name));
  switch (wire) {
    case 'openai':
      return { object: 'list', data: entries };
    case 'anthropic':
      return { data: entries, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null };
    case 'gemini':
      return { models: entries };
  }
}

export function modelEntry(wire: Wire, name: string): object {
  switch (wire) {
    case 'openai':
      return { id: name, object: 'model', created: CREATED_S, owned_by: 'tidegate' };
    case 'anthropic':
      return { type: 'model', id: name, display_name: name, created_at: CREATED_AT };
    case 'gemini': {
      const supportedGenerationMethods = ['generateContent', 'streamGenerateContent'];
      return { name: `models/${name}`, displayName: name, supportedGenerationMethods };
    }
  }
}
