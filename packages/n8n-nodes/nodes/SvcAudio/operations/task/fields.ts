import type { INodeProperties } from 'n8n-workflow'
import type { Show } from '../fields.ts'

/** Which task. */
export function taskIdField(show: Show): INodeProperties {
  return {
    displayName: 'Task ID',
    name: 'taskId',
    type: 'string',
    required: true,
    default: '={{ $json.taskId }}',
    placeholder: 'e.g. {{ $json.taskId }}',
    description: 'ID that Start Task put out',
    displayOptions: { show },
  }
}
