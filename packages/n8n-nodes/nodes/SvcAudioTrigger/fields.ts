import type { INodeProperties } from 'n8n-workflow'

/** The form of the trigger. */
export const TRIGGER_FIELDS: INodeProperties[] = [
  {
    displayName:
      'Copy the Webhook URL of this node into the field Webhook URL of Start Task. The service must reach it over HTTPS.',
    name: 'webhookNotice',
    type: 'notice',
    default: '',
    displayOptions: { show: { source: ['webhook'] } },
  },
  {
    displayName: 'Find Out By',
    name: 'source',
    type: 'options',
    default: 'webhook',
    description: 'How the node learns that a task has finished',
    options: [
      { name: 'Polling', value: 'polling', description: 'Ask for given tasks, where n8n has no public HTTPS address' },
      { name: 'Webhook', value: 'webhook', description: 'The service calls n8n' },
    ],
  },
  {
    displayName: 'Task IDs',
    name: 'taskIds',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Task ID' },
    default: [],
    description: 'Tasks to ask for. Each starts the workflow once, when it has finished.',
    displayOptions: { show: { source: ['polling'] } },
  },
  {
    displayName: 'Trigger On',
    name: 'statuses',
    type: 'multiOptions',
    default: ['SUCCESS', 'FAILED'],
    description: 'Which ends of a task start the workflow',
    options: [
      { name: 'Failure', value: 'FAILED' },
      { name: 'Success', value: 'SUCCESS' },
    ],
  },
]
