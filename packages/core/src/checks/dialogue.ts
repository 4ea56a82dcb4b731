import { aigcMetadata, modelOf, OTHER_VOICES, type Outcome, audioRules, spoken } from './common.ts'
import { check, items, type Rule, type Rules, text } from './rules.ts'

/** Made once. The ids of the speakers are known only with a body, so their rules are made with it. */
const RULES: Readonly<Record<Outcome, Rules>> = { answer: rulesOf('answer'), task: rulesOf('task') }

function rulesOf(outcome: Outcome): Rules {
  return { model: modelOf('svc-ttsd-'), ...audioRules(outcome, 'dialogue') }
}

/**
 * The rules of `POST /v1/audio/speech/speakers`.
 * @throws InvalidRequestError naming the field, e.g. `segments[2].speaker`
 */
export function checkDialogue(body: object, outcome: Outcome): void {
  const ids = new Set<unknown>()
  const newId: Rule = (id, ...more) => {
    if (ids.has(id)) return ['duplicate_speaker', `${String(id)} came twice`]
    ids.add(id)
    return text(id, ...more)
  }
  const knownId: Rule = (id, ...more) =>
    text(id, ...more) ?? (ids.has(id) ? undefined : ['unknown_speaker', `${String(id)} is no speakers[].id`])
  check(body, {
    ...RULES[outcome],
    speakers: items({ ...OTHER_VOICES, id: newId, voice_id: text }),
    segments: items({ speaker: knownId, text: spoken(Reflect.get(body, 'model')) }),
    aigc_metadata: aigcMetadata,
  })
}
