import { ByteBuilder } from '../streaming/byte-builder.ts'

/** Most bytes of a callback's body that are read. */
const MAX_BODY_BYTES = 1024 * 1024

/** The body of a callback; `undefined` when it is larger than 1 MB, of which no more is read then. */
export async function readCallbackBody(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) return undefined
  const reader = request.body?.getReader()
  const bytes = new ByteBuilder()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return bytes.take()
    if (bytes.length + value.length > MAX_BODY_BYTES) {
      await reader?.cancel()
      return undefined
    }
    bytes.push(value)
  }
}

/**
 * The ids that a callback's body may mean. The payload is not documented (interface: Webhook), so a JSON object's
 * `task_id` counts, then its `id`, and any other body means none.
 */
export function namedTasks(body: Uint8Array): string[] {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return []
  }
  if (typeof value !== 'object' || value === null) return []
  return ['task_id', 'id'].map((name): unknown => Reflect.get(value, name)).filter(isTaskId)
}

/** Text that is one part of a path and nothing else, since it becomes part of an address. */
function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && /^(?!\.{1,2}$)[^\s/\\?#%]{1,256}$/.test(value)
}
