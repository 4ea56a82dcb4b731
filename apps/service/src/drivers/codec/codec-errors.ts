import { CodecUnavailableError, UndecodableAudioError } from '@svc-audio/engine-ports'
import { REMEDY } from './choose-launcher.ts'
import { FfmpegError, FfmpegTimeoutError } from './ffmpeg-error.ts'
import { WASM_PACKAGE } from './wasm-launcher.ts'
import { CANNOT_LOAD } from './wasm-request.ts'

/** Exit codes of the shell for a program that is missing or cannot run. */
const CANNOT_RUN = new Set<number | undefined>([126, 127])

/** Maps errors of a vanished ffmpeg to {@link CodecUnavailableError}. Returns other errors unchanged. */
export function translateStartError(error: unknown): unknown {
  if (error instanceof FfmpegError && error.exitCode === CANNOT_LOAD)
    return new CodecUnavailableError(`${WASM_PACKAGE} does not load: ${REMEDY}`, { cause: error })
  if (isMissingProgram(error) || (error instanceof FfmpegError && CANNOT_RUN.has(error.exitCode)))
    return new CodecUnavailableError(`ffmpeg no longer starts: ${REMEDY}`, { cause: error })
  return error
}

/** Only errors of the start count: the producer of the audio may miss a file too. */
function isMissingProgram(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false
  return String(error.syscall).startsWith('spawn') && (error.code === 'ENOENT' || error.code === 'EACCES')
}

/**
 * Maps errors that the file causes to {@link UndecodableAudioError}: ffmpeg refuses the file, crashes on it or never
 * finishes it. A kill from outside (the system short of memory, an operator) is not the file's fault.
 */
export function translateDecodeError(error: unknown): unknown {
  if (error instanceof FfmpegTimeoutError || (error instanceof FfmpegError && error.exitSignal === 'SIGXCPU'))
    return new UndecodableAudioError('Decoding the audio takes too long.', { cause: error })
  if (!(error instanceof FfmpegError)) return error
  if (error.exitSignal === 'SIGKILL' || error.exitSignal === 'SIGTERM') return error
  const silent = error.stderr.includes('matches no streams')
  const message = silent
    ? 'The file has no audio stream.'
    : 'The file is not audio of a supported format, or is corrupt.'
  return new UndecodableAudioError(message, { cause: error })
}
