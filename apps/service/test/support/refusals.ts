/** A refused request: its name, the invalid change, and the error. */
export type Refusal = readonly [what: string, change: object, status: number, code: string, param: string]

/** Refusals of every endpoint that makes audio. */
export const AUDIO_REFUSALS: readonly Refusal[] = [
  ['no model', { model: undefined }, 400, 'missing_required_field', 'model'],
  ['an unknown model', { model: 'svc-none' }, 404, 'model_not_found', 'model'],
  ['a model of another endpoint', { model: 'svc-transcribe-1.0' }, 400, 'unsupported_for_model', 'model'],
  ['an unknown format', { response_format: 'midi' }, 400, 'unsupported_response_format', 'response_format'],
  ['an unknown delivery_method', { delivery_method: 'post' }, 400, 'invalid_value', 'delivery_method'],
]

const webhook = (what: string, webhook_url: string): Refusal => [
  what,
  { async: true, webhook_url },
  400,
  'invalid_webhook_url',
  'webhook_url',
]

/** Refusals of every endpoint that can create a task. */
export const TASK_REFUSALS: readonly Refusal[] = [
  [
    'a webhook without async',
    { async: false, webhook_url: 'https://example.com' },
    400,
    'unsupported_without_async',
    'webhook_url',
  ],
  webhook('a webhook without TLS', 'http://example.com/'),
  webhook('a webhook on this machine', 'https://localhost/'),
  webhook('a webhook on a private address', 'https://10.1.2.3/'),
  webhook('a webhook that is not a URL', 'hook'),
]
