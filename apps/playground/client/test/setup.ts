import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { volume } from '../audio/player.ts'
import { lastSpeech } from '../components/audio-input.tsx'
import { forgetVisit } from '../lib/client.ts'
import { connection } from '../shell/connection.ts'
import { stopAll } from '../shell/panel-context.ts'
import { navigate } from '../shell/router.tsx'
import { forgetPreviews } from '../voices/use-voices.ts'
import { FakeAudio } from './fake-audio.ts'

// A busy machine needs time.
configure({ asyncUtilTimeout: 30_000 })

// happy-dom plays nothing, and lacks this constant.
Object.defineProperty(HTMLMediaElement, 'HAVE_FUTURE_DATA', { value: 3, configurable: true })

// The files share the modules of the page, and with them its state: each test begins with a fresh page.
beforeEach(() => {
  localStorage.clear()
  connection.set({ state: 'up', embedded: true, epoch: 0 })
  lastSpeech.set(undefined)
  volume.set(1)
  forgetVisit()
  forgetPreviews()
  navigate('/speak', { replace: true })
  Object.assign(FakeAudio, { nextDuration: 4, refuses: false })
  FakeAudio.made.length = 0
  vi.stubGlobal('Audio', FakeAudio)
})
afterEach(() => {
  cleanup()
  stopAll()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
