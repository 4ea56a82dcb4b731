import type { IAuthenticateGeneric, ICredentialType, Icon, INodeProperties } from 'n8n-workflow'

/** Key and address of the service. The nodes test them, so that a failed test has the words of a failed run. */
export class SvcAudioApi implements ICredentialType {
  name = 'svcAudioApi'

  displayName = 'Svc Audio API'

  icon: Icon = { light: 'file:../icons/svc-audio.svg', dark: 'file:../icons/svc-audio.dark.svg' }

  documentationUrl = 'https://github.com/svc-audio/svc-audio/tree/main/packages/n8n-nodes#credentials'

  properties: INodeProperties[] = [
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'The key of your account, or the one that your own service printed at its first start',
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'http://127.0.0.1:8787',
      description: 'Address of the service, without /v1',
    },
    {
      displayName: 'Ignore SSL Issues (Insecure)',
      name: 'ignoreSslIssues',
      type: 'boolean',
      default: false,
      description:
        'Whether to connect even if the certificate of the service cannot be checked. Anybody in the network could then read the key. Better: give n8n your certificate authority with NODE_EXTRA_CA_CERTS.',
    },
    {
      displayName: 'Service Does Not Repeat Work',
      name: 'idempotencyKeys',
      type: 'boolean',
      default: false,
      description:
        'Whether the service counts the work of a repeated request once. Turn it on for a self-hosted service. Requests that fail with status 500 are then repeated by default.',
    },
    {
      displayName: 'Webhook Secret',
      name: 'webhookSecret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      placeholder: 'whsec_...',
      description:
        'Signing secret of the service for callbacks. With it, the Svc Audio Trigger refuses callbacks that the service has not signed. Separate several with commas. Leave it empty if the service does not sign.',
    },
  ]

  // Pasted values often end in a space or a line break. The node drops them as well.
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{ $credentials.apiKey.trim() }}' } },
  }
}
