import {
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { testCredentials } from '../SvcAudio/credential-test/test-credentials.ts'
import { TRIGGER_FIELDS } from './fields.ts'
import { pollTasks } from './poll.ts'
import { receive, STARTED } from './receive.ts'

/** Starts a workflow when a task has finished. */
export class SvcAudioTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Svc Audio Trigger',
    name: 'svcAudioTrigger',
    icon: { light: 'file:../../icons/svc-audio.svg', dark: 'file:../../icons/svc-audio.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '=On finished task, by {{ $parameter["source"] }}',
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
