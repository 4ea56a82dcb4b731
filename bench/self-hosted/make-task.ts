import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import { BENCH_KEY } from './bench-key.ts'
import type { Server } from './server.ts'
import { read } from './small-requests.ts'

/** Has a word spoken in a task, and waits for its end. @returns its id */
export async function makeTask(agent: Agent, server: Server): Promise<string> {
  const taskId = await acceptTask(agent, server)
  for (;;) {
    // Our own service answers with these fields.
    const { status } = JSON.parse(await read(agent, server, `/v1/audio/tasks/${taskId}`)) as { status: string }
    if (status === 'SUCCESS') return taskId
    if (status === 'FAILED') throw new Error('The task failed')
    await sleep(20)
  }
}

/** Has a word spoken in a task. @returns its id, as soon as it is accepted */
export async function acceptTask(agent: Agent, { origin }: Server): Promise<string> {
  const { statusCode, body } = await agent.request({
    origin,
    path: '/v1/audio/speech',
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-tts-1.5-flash',
      input: 'Yes.',
      voice_id: 'kal16',
      response_format: 'wav',
      async: true,
    }),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`A task was answered ${statusCode}: ${text}`)
  return (JSON.parse(text) as { task_id: string }).task_id
}
