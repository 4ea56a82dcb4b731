import { ByteBuilder } from '../streaming/base64.ts'

/** Maximum bytes to read of a callback body. */
const MAX_BODY_BYTES = 1024 * 1024

/** Reads the body of a callback. Returns `undefined`, and stops reading, if it is larger than 1 MB. */
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
 * Possible task ids in a callback body. The payload is not documented (interface: Webhook): `task_id` of a JSON object
 * counts first, then its `id`. Any other body has none.
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

/** Whether a value is a safe path segment. It becomes part of an address. */
function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && /^(?!\.{1,2}$)[^\s/\\?#%]{1,256}$/.test(value)
}
