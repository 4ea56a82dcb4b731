import type { INodeProperties } from 'n8n-workflow'
import { DEFAULT_TIMEOUT } from '../client/audio-client.ts'
import type { Item } from '../operations/item.ts'

/** How long n8n waits for a task of long work, in milliseconds, unless the option Timeout is set: a day. */
const LONG_TIMEOUT = 24 * 60 * 60 * 1000

/** The option that decides whether the work of an item runs as a task. */
export const runAsTaskOption: INodeProperties = {
  displayName: 'Run as Task',
  name: 'runAsTask',
  type: 'options',
  default: 'always',
  description:
    'Whether the node starts a task and waits for it. n8n stores the waiting run, so that it survives a restart. Without this option, long work runs as a task.',
  options: [
    { name: 'Always', value: 'always', description: 'Every item is a task' },
    { name: 'If Long', value: 'auto', description: 'Texts over 5,000 characters and recordings over 20 MB are tasks' },
    { name: 'Never', value: 'never', description: 'The node waits for the response to one request' },
  ],
}

/** Whether the work of an item runs as a task. @param isLong Asked only where the work decides. */
export async function runsAsTask({ form }: Item, isLong: () => boolean | Promise<boolean>): Promise<boolean> {
  const choice = form.has('options.runAsTask') ? form.choice('options.runAsTask') : 'auto'
  return choice === 'auto' ? isLong() : choice === 'always'
}

/** How long to wait for a task of this item, in milliseconds. The default of the option is for a single request. */
export function longTimeout({ form }: Item): number {
  const set = form.milliseconds('options.timeout')
  return set === undefined || set === DEFAULT_TIMEOUT ? LONG_TIMEOUT : set
}
