import type { Server } from 'node:http'
import type { AudioClient } from '@svc-audio/core'
import { VoiceServer } from '@svc-audio/voice'
import { type AttachedVoice, attachVoice } from '@svc-audio/voice/node'
import { TALK_PATH } from '../../shared/api.ts'
import { isOwnPage } from '../http/security.ts'
import type { TalkState } from '../talk.ts'

/**
 * Serves conversations with a scripted agent on {@link TALK_PATH}. Recognition and speech are those of the service; the
 * query names the voice. Only the page of this server may connect.
 * @param fail Takes the errors of a conversation.
 */
export function attachTalk(server: Server, client: AudioClient, fail: (error: unknown) => void): AttachedVoice {
  const voice = new VoiceServer<undefined, TalkState>({
    createState: () => ({}),
    async *converse(call) {
      // The packages of agents take a second to load: not before somebody talks.
      const { talk } = await import('../talk.ts')
      yield* talk(call, client)
    },
    origins: (origin, { headers }) => isOwnPage(origin, headers.get('host') ?? ''),
    limits: { sessions: 10 },
    onError: fail,
  })
  return attachVoice(server, { voice, path: TALK_PATH })
}
