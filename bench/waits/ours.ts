import { AudioClient } from '@svc-audio/core'
import { taskIds, type WaitArgs } from './wait-args.ts'

/** Our client, as its documentation says. @returns how many tasks succeeded */
export async function run(args: WaitArgs): Promise<number> {
  const client = new AudioClient({ apiKey: 'bench', baseUrl: args.origin })
  const tasks = await client.tasks.waitAll(taskIds(args))
  await client.close()
  return tasks.filter(({ status }) => status === 'SUCCESS').length
}
