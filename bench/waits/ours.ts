import { AudioClient } from '@svc-audio/core'
import { taskIds, type WaitArgs } from './wait-args.ts'

/** Our client, as in its documentation. @returns number of succeeded tasks */
export async function run(args: WaitArgs): Promise<number> {
  const client = new AudioClient({ apiKey: 'bench', baseUrl: args.origin })
  const tasks = await client.tasks.waitAll(taskIds(args))
  await client.close()
  return tasks.filter(({ status }) => status === 'SUCCESS').length
}
