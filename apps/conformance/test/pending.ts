/**
 * Rules that the self-hosted service does not keep yet. A rule here that is kept fails the
 * test, so that the list only shrinks.
 */
export const PENDING: ReadonlySet<string> = new Set([
  'creation.immediate',
  'creation.fields',
  'creation.object',
  'creation.model-id',
  'task.fields',
  'task.object',
  'task.result-at-top-level',
  'states.normal-path',
  'dialogue.async',
  'dialogue.webhook-url',
  'voice-generation.async',
  'voice-generation.webhook-url',
  'task-query.every-kind',
])
