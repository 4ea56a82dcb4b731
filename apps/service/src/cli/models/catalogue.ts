/** A model that `models add` knows by its name. */
export interface CatalogueModel {
  /** Its name for the command. */
  readonly name: string
  /** Address of its archive or file. */
  readonly url: string
  /** Size of the archive or file. */
  readonly bytes: number
  /**
   * SHA-256 of the archive or file, on which at least two public catalogues of other projects agree. `undefined` where
   * they do not.
   */
  readonly sha256: string | undefined
  /** License of the model, as its publisher says. */
  readonly license: string
  /** Languages as tags; `*` for every language. */
  readonly languages: readonly string[]
  readonly goodFor: string
  /** What was measured with it: see which-engine.md. @default nothing */
  readonly measured?: string
  /** Gender of the voice, which the files do not tell. */
  readonly gender?: 'female' | 'male'
}

const RELEASES = 'https://github.com/k2-fsa/sherpa-onnx/releases/download'
/** The tag of models that tell speakers apart is spelled so. */
const SPEAKERS = `${RELEASES}/speaker-recongition-models`
const RECOGNIZERS = `${RELEASES}/asr-models`
const VOICES = `${RELEASES}/tts-models`

/** What was measured with a voice of Piper of the quality `medium`: they have the same graph. */
const MEDIUM = '0.14 s for a second (the voice joe, of the same graph)'

/** Languages of Parakeet v3. */
const EUROPEAN = 'bg cs da de el en es et fi fr hr hu it lt lv mt nl pl pt ro ru sk sl sv uk'.split(' ')

/** The catalogue: what `models list --available` prints. Sizes and checksums were compared in November 2026. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: 'moonshine-base-en',
    url: `${RECOGNIZERS}/sherpa-onnx-moonshine-base-en-quantized-2026-02-27.tar.bz2`,
    bytes: 111_266_225,
    sha256: '43232c1d13013d37317163baec3135bd771a186a4356f28c889bab453bb0e891',
    license: 'MIT',
    languages: ['en'],
    goodFor: 'English, quick, with case and punctuation',
  },
  {
    name: 'moonshine-tiny-en',
    url: `${RECOGNIZERS}/sherpa-onnx-moonshine-tiny-en-quantized-2026-02-27.tar.bz2`,
    bytes: 29_858_559,
    sha256: '9ec31b342d8fa3240c3b81b8f82e1cf7e3ac467c93ca5a999b741d5887164f8d',
    license: 'MIT',
    languages: ['en'],
    goodFor: 'English on small machines; the bundled recognizer has the same weights',
    measured: '5.5 % word errors on the telephone, 0.06 s for a second',
  },
  {
    name: 'parakeet-v3',
    url: `${RECOGNIZERS}/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2`,
    bytes: 487_170_055,
    sha256: '5793d0fd397c5778d2cf2126994d58e9d56b1be7c04d13c7a15bb1b4eafb16bf',
    license: 'CC-BY-4.0',
    languages: EUROPEAN,
    goodFor: '25 European languages, with times of words',
  },
  {
    name: 'whisper-base',
    url: `${RECOGNIZERS}/sherpa-onnx-whisper-base.tar.bz2`,
    bytes: 207_557_382,
    sha256: '911b2083efd7c0dca2ac3b358b75222660dc09fb716d64fbfc417ba6c99ff3de',
    license: 'MIT',
    languages: ['*'],
    goodFor: 'about 100 languages on small machines',
  },
  {
    name: 'whisper-small',
    url: `${RECOGNIZERS}/sherpa-onnx-whisper-small.tar.bz2`,
    bytes: 639_387_718,
    sha256: '486a46afbb7ba798507190ffe02fea2dd726049af212e774537efac6afb210a6',
    license: 'MIT',
    languages: ['*'],
    goodFor: 'about 100 languages, with fewer errors',
  },
  {
    name: 'sense-voice',
    url: `${RECOGNIZERS}/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-int8-2024-07-17.tar.bz2`,
    bytes: 163_002_883,
    sha256: '7d1efa2138a65b0b488df37f8b89e3d91a60676e416f515b952358d83dfd347e',
    license: 'FunASR Model License 1.1',
    languages: ['zh', 'yue', 'en', 'ja', 'ko'],
    goodFor: 'Chinese, Japanese, Korean, with times of words',
  },
  {
    name: 'kokoro-en',
    url: `${VOICES}/kokoro-int8-en-v0_19.tar.bz2`,
    bytes: 103_248_205,
    sha256: 'c9f0dd393615805b0bab050c340834d5e684e732aec91c0e860cd30e982c08bd',
    license: 'Apache-2.0; its espeak-ng-data GPL-3.0',
    languages: ['en'],
    goodFor: 'eleven natural voices, for machines with many cores',
    measured: '2 to 4.7 s for a second on two cores',
  },
  {
    name: 'piper-en-kristin',
    url: `${VOICES}/vits-piper-en_US-kristin-medium.tar.bz2`,
    bytes: 67_259_230,
    sha256: 'c2206f572df2956c50b1ae3367eebce3853c663e890cba8048cd62b1e4dbe6c7',
    license: 'public domain; its espeak-ng-data GPL-3.0',
    languages: ['en'],
    goodFor: 'a natural voice, quick',
    measured: MEDIUM,
    gender: 'female',
  },
  {
    name: 'piper-de-thorsten',
    url: `${VOICES}/vits-piper-de_DE-thorsten-medium.tar.bz2`,
    bytes: 67_214_254,
    sha256: '50487d9c95fdf2191f31d2588569381063ba1591dcd4c7d4bdd30f12b2191714',
    license: 'CC0-1.0; its espeak-ng-data GPL-3.0',
    languages: ['de'],
    goodFor: 'a natural voice, quick',
    measured: MEDIUM,
    gender: 'male',
  },
  {
    name: 'piper-fr-siwis',
    url: `${VOICES}/vits-piper-fr_FR-siwis-medium.tar.bz2`,
    bytes: 67_207_459,
    sha256: '375909aa30842b3a4efa10b1beb1d761af792960ae6873b4d53889f96c66195b',
    license: 'CC-BY-4.0; its espeak-ng-data GPL-3.0',
    languages: ['fr'],
    goodFor: 'a natural voice, quick',
    measured: MEDIUM,
    gender: 'female',
  },
  {
    name: 'piper-es-davefx',
    url: `${VOICES}/vits-piper-es_ES-davefx-medium.tar.bz2`,
    bytes: 67_184_952,
    sha256: 'a3f6beb54a9cb893279f72978a22f807a4d9fc9c7848157b524d5cc7b7f58b22',
    license: 'CC0-1.0; its espeak-ng-data GPL-3.0',
    languages: ['es'],
    goodFor: 'a natural voice, quick',
    measured: MEDIUM,
    gender: 'male',
  },
  {
    name: 'piper-pt-faber',
    url: `${VOICES}/vits-piper-pt_BR-faber-medium.tar.bz2`,
    bytes: 67_183_065,
    sha256: '7add3f923ad6bc25ca8a192805fd1a64d1b3893e4611c4a9719545a825039a83',
    license: 'CC0-1.0; its espeak-ng-data GPL-3.0',
    languages: ['pt'],
    goodFor: 'a natural voice of Brazil, quick',
    measured: MEDIUM,
    gender: 'male',
  },
  {
    name: 'piper-pl-gosia',
    url: `${VOICES}/vits-piper-pl_PL-gosia-medium.tar.bz2`,
    bytes: 67_211_182,
    sha256: '75bd34dcbdc4dd98d763954756b4b34b4208100497c836381542e4d73dcefa9c',
    license: 'CC0-1.0; its espeak-ng-data GPL-3.0',
    languages: ['pl'],
    goodFor: 'a natural voice, quick',
    measured: MEDIUM,
    gender: 'female',
  },
  {
    name: 'silero-vad',
    url: `${RECOGNIZERS}/silero_vad.onnx`,
    bytes: 643_854,
    sha256: '9e2449e1087496d8d4caba907f23e0bd3f78d91fa552479bb9c23ac09cbb1fd6',
    license: 'MIT',
    languages: ['*'],
    goodFor: 'finds speech beside music and machines, for engines that listen',
  },
  {
    name: 'titanet-small',
    url: `${SPEAKERS}/nemo_en_titanet_small.onnx`,
    bytes: 40_257_283,
    sha256: 'ad4a1802485d8b34c722d2a9d04249662f2ece5d28a7a039063ca22f515a789e',
    license: 'CC-BY-4.0',
    languages: ['*'],
    goodFor: 'tells speakers apart',
  },
]
