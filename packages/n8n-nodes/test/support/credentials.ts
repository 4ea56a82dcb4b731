import type {
  ICredentialDataDecryptedObject,
  ICredentialsHelper,
  ICredentialType,
  IHttpRequestOptions,
  INode,
  Workflow,
} from 'n8n-workflow'

/** What the user typed into the credentials of the node. */
export interface AudioCredentials extends ICredentialDataDecryptedObject {
  apiKey: string
  baseUrl: string
  webhookSecret?: string
  ignoreSslIssues?: boolean
  idempotencyKeys?: boolean
}

/**
 * Credentials as n8n's server hands them out: one entry, put into requests as its type says, expressions included. The
 * real one is part of the server, which needs a database.
 */
export function credentialsHelper(type: ICredentialType, entry: AudioCredentials): ICredentialsHelper {
  const absent = (): never => {
    throw new Error('No node asks for this')
  }
  return {
    getDecrypted: async () => ({ ...entry }),
    authenticate: async (credentials, _name, incoming, workflow, node) =>
      putIn(incoming as IHttpRequestOptions, type, credentials, workflow, node),
    preAuthentication: async () => undefined,
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
    getCredentials: absent,
    getCredentialsProperties: absent,
    runPreAuthentication: absent,
    updateCredentials: absent,
    updateCredentialsOauthTokenData: absent,
  }
}

function putIn(
  request: IHttpRequestOptions,
  { authenticate }: ICredentialType,
  credentials: ICredentialDataDecryptedObject,
  workflow?: Workflow,
  node?: INode,
): IHttpRequestOptions {
  if (typeof authenticate !== 'object' || workflow === undefined || node === undefined) {
    throw new Error('The credentials must say how they are used')
  }
  for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
    if (typeof value !== 'string') throw new Error(`The header ${name} must be an expression`)
    const keys = { $credentials: credentials }
    const resolved = workflow.expression.getSimpleParameterValue(node, value, 'internal', keys)
    request.headers = { ...request.headers, [name]: resolved }
  }
  return request
}
