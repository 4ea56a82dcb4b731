import { useCallback, useEffect, useRef, useState } from 'react'
import { MediaPlayer } from '../../audio/media-player.ts'
import type { Player } from '../../audio/player.ts'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { useStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { dialogueBody, type Script, type ScriptLine } from './script.ts'

/** Audio that was made of a script. */
export interface DialogueTake {
  /** `line`: of one line alone. */
  readonly of: 'script' | 'line'
  readonly player: Player
  readonly blob: Blob
  readonly fileName: string
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs: number
  readonly lines: number
}

/** The audio of the panel and its actions. */
export interface DialogueControl extends Pick<FailureControl, 'failure'> {
  /** What is being made: the script, or the key of a line. */
  readonly busy: 'script' | number | undefined
  readonly take: DialogueTake | undefined
  readonly speak: (script: Script) => void
  /** Speaks one line in the voice of its speaker. */
  readonly speakLine: (script: Script, line: ScriptLine) => void
  /** Makes again what failed: the script, or the line if it is still there. */
  readonly retry: (script: Script) => void
  readonly stop: () => void
}

/** Makes one audio at a time. */
export function useDialogue(): DialogueControl {
  const { client } = usePanel()
  const { failure, fail, clear } = useFailure()
  const [busy, setBusy] = useState<DialogueControl['busy']>()
  const [take, setTake] = useState<DialogueTake>()
  const running = useRef<AbortController>(undefined)
  const last = useRef<'script' | number>('script')
  const stop = useCallback(() => running.current?.abort(), [])
  useStop(busy !== undefined, stop)
  useEffect(() => stop, [stop])
  useEffect(() => () => take?.player.close(), [take])

  const make = async (script: Script, what: 'script' | number): Promise<void> => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    last.current = what
    const { signal } = controller
    clear()
    setBusy(what)
    const began = performance.now()
    try {
      const body = dialogueBody(script)
      const audio = await client.dialogue.create(body, { signal })
      const blob = new Blob([await audio.bytes()], { type: audio.contentType })
      const player = new MediaPlayer(blob)
      setTake({
        of: what === 'script' ? 'script' : 'line',
        player,
        blob,
        fileName: `dialogue.${script.format}`,
        totalMs: performance.now() - began,
        lines: body.segments.length,
      })
      // The browser may refuse the format. The player says so when it is pressed.
      await player.play().catch(() => {})
    } catch (error) {
      if (!signal.aborted) fail(error)
    } finally {
      if (running.current === controller) setBusy(undefined)
    }
  }
  const speak = (script: Script): void => void make(script, 'script')
  const speakLine = (script: Script, line: ScriptLine): void => void make({ ...script, lines: [line] }, line.key)
  const retry = (script: Script): void => {
    const line = script.lines.find(({ key }) => key === last.current)
    if (line === undefined) speak(script)
    else speakLine(script, line)
  }
  return { busy, take, failure, stop, speak, speakLine, retry }
}
