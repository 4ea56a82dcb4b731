import {
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  type IWebhookFunctions,
  type INodeProperties,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { testCredentials } from '../SvcAudio/client/test-credentials.ts'
import { pollTasks } from './poll.ts'
import { receive, STARTED } from './receive.ts'

/** The form of the trigger. */
const TRIGGER_FIELDS: INodeProperties[] = [
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
      {
        name: 'Ask the Service Regularly',
        value: 'polling',
        description: 'Read the tasks at intervals, where n8n has no public HTTPS address',
      },
      { name: 'Wait for a Call From the Service', value: 'webhook', description: 'The service calls a webhook of n8n' },
    ],
  },
  {
    displayName:
      'Add the option Start the Svc Audio Trigger of This Workflow to Start Task in this workflow. Its tasks then start this trigger.',
    name: 'pollingNotice',
    type: 'notice',
    default: '',
    displayOptions: { show: { source: ['polling'] } },
  },
  // n8n shows its own field for the times of all nodes that may poll, also where a webhook was chosen. These two are in
  // its place: one to fill in, and one without any time.
  {
    displayName: 'Poll Times',
    name: 'pollTimes',
    type: 'fixedCollection',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Poll Time' },
    default: { item: [{ mode: 'everyMinute' }] },
    description: 'When to read the tasks',
    placeholder: 'Add Poll Time',
    displayOptions: { show: { source: ['polling'] } },
    options: [
      {
        displayName: 'Item',
        name: 'item',
        values: [
          {
            displayName: 'Mode',
            name: 'mode',
            type: 'options',
            default: 'everyMinute',
            options: [
              { name: 'Every Minute', value: 'everyMinute' },
              { name: 'Every X', value: 'everyX' },
              { name: 'Custom', value: 'custom' },
            ],
          },
          {
            displayName: 'Value',
            name: 'value',
            type: 'number',
            typeOptions: { minValue: 1 },
            default: 5,
            description: 'Every how many minutes or hours',
            displayOptions: { show: { mode: ['everyX'] } },
          },
          {
            displayName: 'Unit',
            name: 'unit',
            type: 'options',
            default: 'minutes',
            displayOptions: { show: { mode: ['everyX'] } },
            options: [
              { name: 'Hours', value: 'hours' },
              { name: 'Minutes', value: 'minutes' },
            ],
          },
          {
            displayName: 'Cron Expression',
            name: 'cronExpression',
            type: 'string',
            default: '0 */10 * * * *',
            description: 'Seconds, minutes, hours, day of month, month and weekday',
            displayOptions: { show: { mode: ['custom'] } },
          },
        ],
      },
    ],
  },
  {
    displayName: 'Poll Times',
    name: 'pollTimes',
    type: 'hidden',
    default: { item: [] },
    displayOptions: { show: { source: ['webhook'] } },
  },
  {
    displayName: 'Task IDs',
    name: 'taskIds',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Task ID' },
    default: [],
    description: 'Tasks to read beside the registered ones. Each starts the workflow once, when it has ended.',
    displayOptions: { show: { source: ['polling'] } },
  },
  {
    displayName: 'Trigger On',
    name: 'statuses',
    type: 'multiOptions',
    default: ['SUCCESS', 'FAILED', 'GONE'],
    description:
      'Which ends of a task start the workflow. A task that the service no longer knows is found only by asking.',
    options: [
      { name: 'Failure', value: 'FAILED' },
      { name: 'No Longer Known to the Service', value: 'GONE' },
      { name: 'Success', value: 'SUCCESS' },
    ],
  },
]

/** Starts a workflow when a task has finished. */
export class SvcAudioTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Svc Audio Trigger',
    name: 'svcAudioTrigger',
    icon: { light: 'file:../../icons/svc-audio.svg', dark: 'file:../../icons/svc-audio.dark.svg' },
    group: ['trigger'],
    version: [1],
    subtitle: '=On finished task, by {{ $parameter["source"] === "polling" ? "asking" : "a call" }}',
    description:
      'Turn text into speech and recordings into text. The trigger starts a workflow when such a task has ended.',
    defaults: { name: 'Svc Audio Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'svcAudioApi', required: true, testedBy: 'testSvcAudioApi' }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        responseMode: 'onReceived',
        // n8n would answer the word firstEntryJson
        responseData: STARTED,
        path: 'webhook',
      },
    ],
    properties: TRIGGER_FIELDS,
  }

  methods: NonNullable<INodeType['methods']> = {
    credentialTest: {
      async testSvcAudioApi(credentials) {
        return testCredentials(this, credentials)
      },
    },
  }

  /** The service takes an address with each task, so that there is nothing to register, and nothing to remove. */
  webhookMethods = {
    default: {
      async checkExists(): Promise<boolean> {
        return true
      },
      async create(): Promise<boolean> {
        return true
      },
      async delete(): Promise<boolean> {
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receive(this)
  }

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return pollTasks(this)
  }
}
