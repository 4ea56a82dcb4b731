import { ProtocolError } from '@svc-audio/core/pure'
import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow'
import { audioClientFor } from '../client/audio-client.ts'
import { explain } from '../errors/format-error.ts'
import { toText } from '../form/coerce.ts'
import { credentialTestTransport } from './credential-test-transport.ts'

/** Deadline of the test, in milliseconds. */
const TEST_TIMEOUT = 30_000

/** What the editor shows when the test passes. */
const PASSED = 'The service accepts the key.'

/**
 * Tests the credentials: lists the models, which every key may do. A failure has headline and description of the error
 * that a run of a node shows.
 */
export async function testCredentials(
  context: ICredentialTestFunctions,
  { data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const transport = credentialTestTransport(context, {
      ignoresCertificates: data['ignoreSslIssues'] === true,
      timeout: TEST_TIMEOUT,
    })
    const credentials = { apiKey: toText(data['apiKey']) ?? '', baseUrl: toText(data['baseUrl']) ?? '' }
    const audio = audioClientFor(credentials, transport, { timeout: TEST_TIMEOUT, retries: 0 })
    const models = await audio.models.list()
    if (!Array.isArray(models.data)) throw new ProtocolError('The response is not a list of models')
    return { status: 'OK', message: PASSED }
  } catch (error) {
    const { headline, description } = explain(error)
    return { status: 'Error', message: description === undefined ? headline : `${headline}. ${description}` }
  }
}
