import { request } from 'undici'

/** A task, as far as a loop by hand looks at it. */
export interface BareTask {
  readonly status: string
  readonly retry_after?: number
}

/** Reads a task without any check. */
export async function bareRead(origin: string, id: string): Promise<BareTask> {
  const { body } = await request(`${origin}/v1/audio/tasks/${id}`, {
    headers: { accept: 'application/json', authorization: 'Bearer bench', 'user-agent': 'bench' },
  })
  // The service's own answer.
  return (await body.json()) as BareTask
}
