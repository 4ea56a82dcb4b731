import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import { postSpeech } from './post-speech.ts'
import type { Server } from './server.ts'
import { read } from './small-requests.ts'

/** Creates a task that speaks a word, and waits for its end. @returns its id */
export async function makeTask(agent: Agent, server: Server): Promise<string> {
  const taskId = await acceptTask(agent, server)
  for (;;) {
    // The response of our service has these fields.
    const { status } = JSON.parse(await read(agent, server, `/v1/audio/tasks/${taskId}`)) as { status: string }
    if (status === 'SUCCESS') return taskId
    if (status === 'FAILED') throw new Error('The task failed')
    await sleep(20)
  }
}

/** Creates a task that speaks a word. @returns its id, as soon as it is accepted */
export async function acceptTask(agent: Agent, server: Server): Promise<string> {
  const fields = { input: 'Yes.', voice_id: 'kal16', response_format: 'wav', async: true }
  const body = await postSpeech(agent, server, fields)
  // The response of our service has this field.
  return ((await body.json()) as { task_id: string }).task_id
}
