import { expect, test } from 'vitest'
import { checkVoiceList } from './voices.ts'

// rules: voice-listing.limit, voice-listing.offset, voice.status-open
test.each<object>([{}, { limit: 1 }, { limit: 150 }, { offset: 0 }, { after: 'c', status: 'anything' }])(
  'interface: GET /v1/audio/voices, %j is sent',
  (query) => {
    expect(() => checkVoiceList(query)).not.toThrow()
  },
)

// rules: voice-listing.limit, voice-listing.offset
test.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 151 }, 'limit'],
  [{ limit: 1.5 }, 'limit'],
  [{ limit: '20' }, 'limit'],
  [{ limit: Number.NaN }, 'limit'],
  [{ offset: -1 }, 'offset'],
  [{ offset: 0.5 }, 'offset'],
])('interface: GET /v1/audio/voices, "maximum 150": %j is invalid_range / %s', (query, param) => {
  expect(() => checkVoiceList(query)).toThrow(
    expect.objectContaining({ name: 'InvalidRequestError', code: 'invalid_range', param }),
  )
})
