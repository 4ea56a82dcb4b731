import { type Check, check } from '../check.ts'
import {
  boolean,
  ensure,
  type Fields,
  list,
  oneOf,
  requireShape,
  seconds,
  secondsOrUnknown,
  string,
  text,
  Violation,
} from '../expect.ts'
import { createdVoice, dataOf, newUpload, unique, voicePage } from '../subject/fixtures.ts'
import { accept, refused } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'
import { namelessVoice } from '../subject/listening.ts'

const VOICE = { id: text, object: oneOf('audio.voice'), name: string, created_at: seconds }
/** The server did not make every voice that it lists. */
const LISTED = { ...VOICE, created_at: secondsOrUnknown }
const PATH = '/v1/audio/voices'

function ids(page: Fields): unknown[] {
  return dataOf(page).map(({ id }) => id)
}

async function refusesToCreate(
  subject: Subject,
  why: string,
  sent: Parameters<Subject['api']['send']>[2],
): Promise<void> {
  await createdVoice(subject)
  refused(await subject.api.send('POST', PATH, sent), why)
}

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

async function refusesOtherBodies(subject: Subject): Promise<void> {
  const { bytes } = await newUpload(subject)
  const base64 = Buffer.from(bytes).toString('base64')
  const json = { name: 'From JSON', audio_sample: base64 }
  await refusesToCreate(subject, 'a JSON body', { json })
  await refusesToCreate(subject, 'a form without audio_sample', { form: formOf({ name: 'Nothing' }) })
  const file = new Blob([bytes], { type: 'audio/wav' })
  await refusesToCreate(subject, 'the audio in the field file', { form: formOf({ file }) })
}

/** Voices. */
export const voiceChecks: readonly Check[] = [
  check('voice.fields', 'every listed voice has all its fields', async (subject) => {
    for (const voice of dataOf(await voicePage(subject))) requireShape('a voice', voice, LISTED)
  }),
  check('voice.fields', 'a new voice has all its fields', async (subject) => {
    requireShape('the voice', await createdVoice(subject), VOICE)
  }),
  check('voice.fields', 'the ids of two new voices differ', async (subject) => {
    const [one, other] = [await createdVoice(subject), await namelessVoice(subject)]
    ensure(one['id'] !== other['id'], `two voices have the id ${String(one['id'])}`)
  }),
  check('voice.name-empty', 'a voice without a name has an empty name', async (subject) => {
    requireShape('the voice', await namelessVoice(subject), { name: oneOf('') })
  }),
  check('voice.id-use', 'a listed voice speaks, alone and in a dialogue', async (subject) => {
    const [first] = ids(await voicePage(subject))
    await accept(subject, 'speech', { voice_id: first })
    await accept(subject, 'dialogue', { speakers: ['one', 'two'].map((id) => ({ id, voice_id: first })) })
  }),
  check('voice.id-use', 'a new voice speaks', async (subject) => {
    await accept(subject, 'speech', { voice_id: (await createdVoice(subject))['id'] })
  }),
  check('voice.no-urls', 'no field of a voice is a URL', async (subject) => {
    for (const voice of dataOf(await voicePage(subject))) {
      const address = Object.entries(voice).find(
        ([name, value]) => /url/i.test(name) || /^\w+:\/\//.test(String(value)),
      )
      ensure(address === undefined, `a voice shows ${address?.join(': ')}`)
    }
  }),
  check('voice-list.fields', 'the list has all its fields', async (subject) => {
    requireShape('the list', await voicePage(subject), { object: oneOf('list'), data: list, has_more: boolean })
  }),
  check('voice-list.page-ids', 'first_id and last_id match the page', async (subject) => {
    const page = await voicePage(subject)
    const own = ids(page)
    ensure(own.length > 0, 'no voice is listed')
    requireShape('the list', page, { first_id: oneOf(own[0]), last_id: oneOf(own.at(-1)) })
  }),
  check('voice-list.cursor', 'next_cursor is present exactly when has_more is true', async (subject) => {
    const first = await subject.api.read(`${PATH}?limit=1`)
    const more = first['has_more'] === true
    ensure('next_cursor' in first === more, `next_cursor does not match has_more: ${JSON.stringify(first)}`)
    const whole = await subject.api.read(`${PATH}?limit=150`)
    const end = whole['has_more'] === true
    ensure('next_cursor' in whole === end, `next_cursor of the last page is ${JSON.stringify(whole['next_cursor'])}`)
    ensure(more === dataOf(whole).length > 1, 'has_more is wrong on a page of one voice')
  }),
  check('voice-creation.multipart', 'a form creates a voice; JSON is refused', async (subject) => {
    await refusesToCreate(subject, 'a JSON body', { json: { name: 'From JSON' } })
  }),
  check('voice-creation.sample', 'a form without audio_sample is refused', async (subject) => {
    await refusesToCreate(subject, 'a form without audio_sample', { form: formOf({ name: 'Nothing' }) })
  }),
  check('voice-creation.sample-only', 'file ids, URLs and base64 are refused', async (subject) => {
    const { bytes } = await newUpload(subject)
    const base64 = Buffer.from(bytes).toString('base64')
    for (const form of [
      { file_id: 'file-1' },
      { url: 'https://example.com/voice.wav' },
      { audio_sample: `data:audio/wav;base64,${base64}` },
    ]) {
      await refusesToCreate(subject, `a form with ${Object.keys(form).join()} as text`, { form: formOf(form) })
    }
  }),
  check('voice-creation.texts', 'name and description are accepted', async (subject) => {
    const voice = await createdVoice(subject)
    requireShape('the voice', voice, { name: oneOf('Conformance') })
  }),
  check('voice-creation.answer', 'the response is a voice', async (subject) => {
    requireShape('the voice', await createdVoice(subject), VOICE)
  }),
  check('voice-creation.no-retrieval', 'a single voice cannot be read', async (subject) => {
    const [id] = ids(await voicePage(subject))
    refused(await subject.api.send('GET', `${PATH}/${encodeURIComponent(String(id))}`), 'a request for one voice')
  }),
  check('errors.voice-body', 'every body except a form with audio_sample is refused with an error', refusesOtherBodies),
  check('voice-listing.endpoint', 'GET /v1/audio/voices answers with a list', async (subject) => {
    requireShape('the list', await subject.api.read(PATH), { object: oneOf('list'), data: list })
  }),
  check(
    'voice-listing.limit',
    'a page has at most limit voices: 20 by default, never more than 150',
    async (subject) => {
      for (const [query, max] of [
        ['', 20],
        ['?limit=1', 1],
        ['?limit=150', 150],
        ['?limit=151', 150],
      ] as const) {
        const response = await subject.api.send('GET', `${PATH}${query}`)
        // The interface does not define the response to a limit above the maximum.
        if (!response.accepted && max === 150 && query.endsWith('151')) continue
        const count = dataOf(response.fields).length
        ensure(
          response.accepted && count <= max,
          `GET ${PATH}${query} answered ${response.status} with ${count} voices`,
        )
      }
    },
  ),
  check('voice-listing.offset', 'offset skips that many voices', async (subject) => {
    const all = ids(await subject.api.read(`${PATH}?limit=3`))
    const rest = ids(await subject.api.read(`${PATH}?limit=2&offset=1`))
    ensure(JSON.stringify(rest) === JSON.stringify(all.slice(1)), `offset=1 gives ${rest.join()} of ${all.join()}`)
  }),
  check('voice-listing.after', 'the pages together list each voice once', pagesThrough),
  check('voice-listing.status', 'an unknown status selects no voice', async (subject) => {
    const response = await subject.api.send('GET', `${PATH}?status=${unique()}`)
    if (response.accepted) ensure(dataOf(response.fields).length === 0, 'an unknown status selects voices')
    else refused(response, 'an unknown status')
  }),
]

async function pagesThrough(subject: Subject): Promise<void> {
  const all = ids(await subject.api.read(`${PATH}?limit=150`))
  const seen: unknown[] = []
  const size = Math.max(1, Math.ceil(all.length / 3))
  for (let cursor = ''; ;) {
    const page = await subject.api.read(`${PATH}?limit=${size}${cursor}`)
    seen.push(...ids(page))
    if (page['has_more'] !== true || seen.length >= all.length) break
    cursor = `&after=${encodeURIComponent(String(page['next_cursor']))}`
  }
  // Other checks create voices at the same time, so the list may have grown.
  const missing = all.filter((id) => !seen.includes(id))
  if (missing.length > 0) throw new Violation(`the pages leave out ${missing.join(', ')}`)
  ensure(new Set(seen).size === seen.length, 'a voice is on two pages')
}
