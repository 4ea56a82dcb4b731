import type { PcmFormat } from '@svc-audio/core/audio'

import { type AudioFormat, RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import type { RawSamples } from './file-forms.ts'

/** Formats that need ffmpeg. The project's own code writes `wav` and `pcm`. */
export type CompressedFormat = Exclude<AudioFormat, 'wav' | 'pcm'>

/** The formats that ffmpeg writes: PCM too, at another sample rate. */
export type WrittenFormat = Exclude<AudioFormat, 'wav'>

/** The encoder of each compressed format, by its name in `ffmpeg -encoders`. */
export const ENCODERS: Readonly<Record<CompressedFormat, string>> = {
  mp3: 'libmp3lame',
  opus: 'libopus',
  flac: 'flac',
  aac: 'aac',
}

/**
 * Containers that a client's file may have. Formats that can name another file or an address (playlists, concat
 * scripts, SDP, image sequences) are missing, so no file makes ffmpeg open a second one.
 */
const DEMUXERS = 'wav,w64,aiff,caf,mp3,flac,ogg,aac,loas,amr,mov,mp4,m4a,matroska,webm,asf,mpeg,mpegts'

/**
 * Allowed decoders: the usual audio of the containers above. Video is never decoded, even during probing. The largest
 * and most attacked part of ffmpeg never reads clients' bytes.
 */
const DECODERS = [
  ['aac', 'aac_fixed', 'aac_latm', 'alac', 'ac3', 'eac3', 'dca', 'flac', 'opus', 'libopus', 'vorbis', 'libvorbis'],
  ['mp1', 'mp1float', 'mp2', 'mp2float', 'mp3', 'mp3float', 'speex', 'libspeex', 'gsm', 'gsm_ms', 'g722'],
  ['amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb'],
  ['wmav1', 'wmav2', 'wmapro', 'wmavoice', 'wmalossless', 'adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt'],
  ['pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be', 'pcm_alaw', 'pcm_mulaw', 'pcm_dvd', 'pcm_bluray'],
]
  .flat()
  .join(',')

/** Largest single allocation, in bytes: far more than a genuine file needs. */
const MAX_ALLOCATION = 256 * 1024 * 1024

/** Splits a command line into arguments. Values must not contain spaces. */
const words = (line: string): string[] => line.split(' ')

const COMMON = words(`-nostdin -hide_banner -loglevel error -max_alloc ${MAX_ALLOCATION}`)

/** The same PCM gives the same bytes: no version in the tags, no random Ogg serial number. */
const REPRODUCIBLE = words('-fflags +bitexact -flags:a +bitexact')

/**
 * ffmpeg moves the times of a transport stream to its first audio packet. A start offset, here of a microsecond, stops
 * that: the time line begins with the first packet of any track. Neither does it close gaps of less than a day.
 */
const TIMES = words('-itsoffset 0.000001 -dts_delta_threshold 86400')

/** What to decode of a file. */
interface DecodeWish {
  /** Number of the track. @default ffmpeg chooses one: the default track, or the one with most channels */
  readonly track?: number | undefined
  /** Samples to read without the container's help. @default ffmpeg reads the container */
  readonly raw?: RawSamples | undefined
}

/**
 * Returns ffmpeg's arguments to decode a file to 16 kHz signed 16-bit PCM of one or two channels, with its times, on
 * standard output: see {@link FrameParser}. Messages describe the file: see {@link InputReport}.
 *
 * @param inputUrl The file as the launcher addresses it: `file:…`.
 */
export function decodeArguments(inputUrl: string, { track, raw }: DecodeWish = {}): string[] {
  return [
    ...words(`-nostdin -hide_banner -nostats -loglevel info -max_alloc ${MAX_ALLOCATION}`),
    ...words(`-protocol_whitelist file,pipe -codec_whitelist ${DECODERS}`),
    ...(raw === undefined ? words(`-format_whitelist ${DEMUXERS}`) : rawInput(raw)),
    ...words('-threads 1 -vn -sn -dn'),
    ...TIMES,
    '-i',
    inputUrl,
    ...(track === undefined ? [] : words(`-map 0:${track}`)),
    ...words(
      `-map_metadata -1 -map_chapters -1 -af aformat=channel_layouts=mono|stereo -ar ${RECOGNITION_SAMPLE_RATE}`,
    ),
    ...words('-threads 1 -c:a pcm_s16le -fflags +bitexact -avoid_negative_ts disabled -f smjpeg pipe:1'),
  ]
}

function rawInput({ format, sampleRate, channels, offset, seconds }: RawSamples): string[] {
  const samples = `-f ${format} -ar ${sampleRate} -ac ${channels} -skip_initial_bytes ${offset}`
  return words(`-format_whitelist ${format} ${samples} -t ${seconds.toFixed(6)}`)
}

/**
 * Returns ffmpeg's arguments to encode PCM from standard input to a file on standard output.
 *
 * @param aigc Written unchanged as the metadata value `AIGC` (decisions: AIGC marking).
 * @param rate Sample rate of the format `pcm`, in Hz.
 * @throws RangeError when ffmpeg has no sample format for that bit depth.
 */
export function encodeArguments(
  format: WrittenFormat,
  pcm: PcmFormat,
  aigc: string | undefined,
  rate: number = pcm.sampleRate,
): string[] {
  const { bitDepth, sampleRate, channels } = pcm
  if (![16, 24, 32].includes(bitDepth)) throw new RangeError(`PCM must have 16, 24 or 32 bits, not ${bitDepth}`)
  return [
    ...COMMON,
    // The arguments describe the input completely, so ffmpeg holds no byte back to probe it.
    ...words('-protocol_whitelist pipe -probesize 32 -analyzeduration 0 -threads 1'),
    ...words(`-f s${bitDepth}le -ar ${sampleRate} -ac ${channels} -i pipe:0`),
    ...(aigc === undefined ? [] : ['-metadata', `AIGC=${aigc}`]),
    ...words(`-map 0:a:0 -threads 1 -c:a ${format === 'pcm' ? `pcm_s${bitDepth}le` : ENCODERS[format]}`),
    ...words(format === 'pcm' ? `-ar ${rate} -f s${bitDepth}le` : CONTAINER[format](pcm, aigc !== undefined)),
    ...REPRODUCIBLE,
    ...words('-flush_packets 1 pipe:1'),
  ]
}

/** Bit rate of mp3 and aac, constant or average: plain for speech, in bits a second. */
const speechBitrate = ({ sampleRate, channels }: PcmFormat): number =>
  (sampleRate > 24_000 ? 96_000 : 64_000) * channels

const CONTAINER: Readonly<Record<CompressedFormat, (pcm: PcmFormat, marked: boolean) => string>> = {
  // Constant bit rate: a player of a variable one needs the frame count, and a pipe cannot be rewound to write it.
  mp3: (pcm, marked) => `-b:a ${speechBitrate(pcm)} -write_xing 0 -id3v2_version ${marked ? 4 : 0} -f mp3`,
  // A page each 0.2 s instead of each second: the listener hears the beginning sooner.
  opus: ({ channels }) => `-b:a ${48_000 * channels} -ar 48000 -page_duration 200000 -f ogg`,
  flac: () => '-metadata_header_padding 0 -f flac',
  aac: (pcm, marked) => `-b:a ${speechBitrate(pcm)} -write_id3v2 ${marked ? 1 : 0} -f adts`,
}
