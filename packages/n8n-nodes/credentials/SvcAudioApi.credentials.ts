import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow'

/** Key and address of the service. The test lists the models, which every key may do. */
export class SvcAudioApi implements ICredentialType {
  name = 'svcAudioApi'

  displayName = 'Svc Audio API'

  icon: Icon = { light: 'file:../icons/svc-audio.svg', dark: 'file:../icons/svc-audio.dark.svg' }

  documentationUrl = 'https://docs.n8n.io/integrations/community-nodes/usage/'

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
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    request: {
      // The node takes an address with /v1 and with slashes at its end too.
      baseURL: '={{ $credentials.baseUrl.replace(/\\/+$/, "").replace(/\\/v1$/, "") }}',
      url: '/v1/models',
      disableFollowRedirect: true,
    },
  }
}
