import { optionsField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { outputJson } from '../output-json.ts'
import { taskIdField } from './fields.ts'

const show = { resource: ['task'], operation: ['get'] }

/** A task as it stands. */
export const taskGet: Operation = {
  resource: 'task',
  operation: 'get',
  name: 'Get',
  action: 'Get task',
  description: 'Get the status of a task, and its result if it has finished',
  fields: [taskIdField(show), optionsField(show, [], { billable: false })],

  async run(item) {
    const audio = await item.audio()
    const task = await audio.tasks.retrieve(item.form.required('taskId'), item.call)
    return [{ json: outputJson(task) }]
  },
}
