import { request } from 'undici'

/** The fields of a task that a hand-written loop reads. */
export interface BareTask {
  readonly status: string
  readonly retry_after?: number
}

/** Polls a task without any check. */
export async function bareRead(origin: string, id: string): Promise<BareTask> {
  const { body } = await request(`${origin}/v1/audio/tasks/${id}`, {
    headers: { accept: 'application/json', authorization: 'Bearer bench', 'user-agent': 'bench' },
  })
  // The service of the benchmark answers this.
  return (await body.json()) as BareTask
}
