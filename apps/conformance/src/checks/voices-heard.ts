import { pitchOf, semitones } from '../audio/pitch.ts'
import { encodeWav } from '@svc-audio/core/audio'
import { wholeWav, type Wav } from '../audio/wav.ts'
import { type Check, check } from '../check.ts'
import { ensure, NotChecked } from '../outcomes.ts'
import { LINES, SAID } from '../subject/fixtures.ts'
import { accept } from '../subject/requests.ts'
import { pcmLayout } from '../subject/streamed.ts'
import type { Subject } from '../subject/subject.ts'
import { dialogueOfTwo, hertz, namelessVoice, pair, requireVoice, speechOf } from '../subject/voices.ts'

/** Parts of the dialogue that belong to its first and its second line, whatever the pause between them. */
const FIRST_LINE = [0, 0.4] as const
const SECOND_LINE = [0.6, 1] as const

/** A designed voice of a deep man must be this much lower than one of a woman, in semitones. */
const DESIGNED_APART = 2

/** Generates a voice from an instruction. @throws NotChecked unless the server returns WAV */
async function designed(subject: Subject, instruction: string): Promise<number> {
  const { bytes } = await accept(subject, 'generation', { input: SAID, instruction, response_format: 'wav' })
  const pitch = pitchOf(wholeWav(bytes))
  if (pitch === undefined) throw new NotChecked(`the voice of “${instruction}” has no pitch`)
  return pitch
}

/** Checks that compare voices by their pitch. */
export const voiceHeardChecks: readonly Check[] = [
  check('speech.voice-id', 'the listed voices differ', async (subject) => {
    await pair(subject)
  }),
  check('dialogue.speaker-fields', 'each segment has the voice of its speaker', async (subject) => {
    const { low, high } = await pair(subject)
    const wav = wholeWav(await dialogueOfTwo(subject))
    requireVoice('the first line', wav, { own: low, other: high, part: FIRST_LINE })
    requireVoice('the second line', wav, { own: high, other: low, part: SECOND_LINE })
  }),
  check('dialogue.segment-speaker', 'a segment is spoken by the speaker that it names', async (subject) => {
    const { low, high } = await pair(subject)
    const speakers = [
      { id: 'one', voice_id: low.voiceId },
      { id: 'two', voice_id: high.voiceId },
    ]
    const segments = LINES.map((text, at) => ({ speaker: at === 0 ? 'two' : 'one', text }))
    const wav = wholeWav((await accept(subject, 'dialogue', { speakers, segments })).bytes)
    requireVoice('the first line', wav, { own: high, other: low, part: FIRST_LINE })
    requireVoice('the second line', wav, { own: low, other: high, part: SECOND_LINE })
  }),
  check('stream.voice-optional', 'a stream has the voice of its voice_id', async (subject) => {
    const { low, high } = await pair(subject)
    for (const [own, other] of [
      [low, high],
      [high, low],
    ] as const) {
      const response = await accept(subject, 'stream', { input: SAID, voice_id: own.voiceId, stream_format: 'audio' })
      const wav: Wav = wholeWav(encodeWav(pcmLayout(response), [response.bytes]))
      requireVoice(`the stream of ${own.voiceId}`, wav, { own, other })
    }
  }),
  check('voice.id-use', 'a new voice sounds like its sample', async (subject) => {
    const { low, high } = await pair(subject)
    const voice = await namelessVoice(subject)
    requireVoice('the new voice', await speechOf(subject, String(voice['id'])), { own: high, other: low })
  }),
  check('voice-generation.instruction', 'a man is lower than a woman', async (subject) => {
    const man = await designed(subject, 'A calm old man with a deep voice')
    const woman = await designed(subject, 'A young woman with a bright, high voice')
    const apart = man < woman && semitones(man, woman) >= DESIGNED_APART
    ensure(apart, `a deep man speaks at ${hertz(man)}, a young woman at ${hertz(woman)}`)
  }),
]
