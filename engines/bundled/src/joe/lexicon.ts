/* Pronunciations beside the CMU dictionary: words that sound by their place in a sentence, and words that it lacks. */

/** Words that the dictionary lacks, or has otherwise than most people say them. */
const WORDS: Readonly<Record<string, string>> = {
  barack: 'B ER0 AA1 K',
  barista: 'B ER0 IY1 S T AH0',
  cello: 'CH EH1 L OW0',
  elon: 'IY1 L AA0 N',
  figure: 'F IH1 G Y ER0',
  friday: 'F R AY1 D EY0',
  github: 'G IH1 T HH AH2 B',
  hundred: 'HH AH1 N D R IH0 D',
  kubernetes: 'K UW2 B ER0 N EH1 T IY0 Z',
  louis: 'L UW1 IH0 S',
  monday: 'M AH1 N D EY0',
  nguyen: 'W IH1 N',
  percent: 'P ER0 S EH1 N T',
  router: 'R AW1 T ER0',
  saturday: 'S AE1 T ER0 D EY0',
  siobhan: 'SH IH0 V AO1 N',
  species: 'S P IY1 SH IY0 Z',
  sunday: 'S AH1 N D EY0',
  thirty: 'TH ER1 T IY0',
  thursday: 'TH ER1 Z D EY0',
  tuesday: 'T UW1 Z D EY0',
  wednesday: 'W EH1 N Z D EY0',
  wound: 'W UW1 N D',
  yesterday: 'Y EH1 S T ER0 D EY2',
  zero: 'Z IH1 R OW0',
}

/** A word with two sounds: as a noun or an adjective, and as a verb. */
const PAIRS: Readonly<Record<string, readonly [noun: string, verb: string]>> = {
  abuse: ['AH0 B Y UW1 S', 'AH0 B Y UW1 Z'],
  alternate: ['AO1 L T ER0 N AH0 T', 'AO1 L T ER0 N EY2 T'],
  conduct: ['K AA1 N D AH0 K T', 'K AH0 N D AH1 K T'],
  conflict: ['K AA1 N F L IH0 K T', 'K AH0 N F L IH1 K T'],
  content: ['K AA1 N T EH0 N T', 'K AH0 N T EH1 N T'],
  contract: ['K AA1 N T R AE0 K T', 'K AH0 N T R AE1 K T'],
  convert: ['K AA1 N V ER0 T', 'K AH0 N V ER1 T'],
  decrease: ['D IY1 K R IY0 S', 'D IH0 K R IY1 S'],
  desert: ['D EH1 Z ER0 T', 'D IH0 Z ER1 T'],
  duplicate: ['D UW1 P L IH0 K AH0 T', 'D UW1 P L IH0 K EY2 T'],
  estimate: ['EH1 S T AH0 M AH0 T', 'EH1 S T AH0 M EY2 T'],
  excuse: ['IH0 K S K Y UW1 S', 'IH0 K S K Y UW1 Z'],
  export: ['EH1 K S P AO0 R T', 'IH0 K S P AO1 R T'],
  graduate: ['G R AE1 JH AH0 W AH0 T', 'G R AE1 JH AH0 W EY2 T'],
  house: ['HH AW1 S', 'HH AW1 Z'],
  import: ['IH1 M P AO0 R T', 'IH0 M P AO1 R T'],
  increase: ['IH1 N K R IY0 S', 'IH0 N K R IY1 S'],
  insult: ['IH1 N S AH0 L T', 'IH0 N S AH1 L T'],
  lives: ['L AY1 V Z', 'L IH1 V Z'],
  object: ['AA1 B JH EH0 K T', 'AH0 B JH EH1 K T'],
  perfect: ['P ER1 F IH0 K T', 'P ER0 F EH1 K T'],
  permit: ['P ER1 M IH0 T', 'P ER0 M IH1 T'],
  present: ['P R EH1 Z AH0 N T', 'P R IY0 Z EH1 N T'],
  produce: ['P R OW1 D UW0 S', 'P R AH0 D UW1 S'],
  progress: ['P R AA1 G R EH0 S', 'P R AH0 G R EH1 S'],
  project: ['P R AA1 JH EH0 K T', 'P R AH0 JH EH1 K T'],
  protest: ['P R OW1 T EH0 S T', 'P R AH0 T EH1 S T'],
  rebel: ['R EH1 B AH0 L', 'R IH0 B EH1 L'],
  record: ['R EH1 K ER0 D', 'R IH0 K AO1 R D'],
  refuse: ['R EH1 F Y UW0 S', 'R IH0 F Y UW1 Z'],
  separate: ['S EH1 P R AH0 T', 'S EH1 P ER0 EY2 T'],
  subject: ['S AH1 B JH IH0 K T', 'S AH0 B JH EH1 K T'],
  survey: ['S ER1 V EY0', 'S ER0 V EY1'],
  suspect: ['S AH1 S P EH0 K T', 'S AH0 S P EH1 K T'],
  transfer: ['T R AE1 N S F ER0', 'T R AE0 N S F ER1'],
  transport: ['T R AE1 N S P AO0 R T', 'T R AE0 N S P AO1 R T'],
  update: ['AH1 P D EY0 T', 'AH0 P D EY1 T'],
  use: ['Y UW1 S', 'Y UW1 Z'],
  wind: ['W IH1 N D', 'W AY1 N D'],
}

/** Words of {@link PAIRS} that are verbs unless something before them says otherwise. */
const MOSTLY_VERBS = new Set(['lives', 'produce', 'refuse', 'use', 'convert', 'excuse', 'separate'])

/** Words before a verb. */
const BEFORE_VERB =
  /^(?:to|will|would|can|could|should|shall|may|might|must|do|does|did|not|i|we|you|they|who|please|let's|don't|doesn't|didn't|can't|won't|couldn't|wouldn't|i'll|we'll|you'll|they'll|that)$/
/** Words before a noun or an adjective. */
const BEFORE_NOUN =
  /^(?:a|an|the|this|that|these|those|my|your|his|her|its|our|their|no|any|some|each|every|of|in|for|with|by|on|many|more|most|new|old|first|last|good|great|is|are|was|were|be|very|so)$/

/** What may follow `live` as an adjective. */
const LIVE_THING =
  /^(?:music|show|shows|stream|streams|video|audio|broadcast|performance|event|events|chat|concert|coverage|demo|data|wire|birth|television|tv|captions|from|on)$/

/**
 * Returns the pronunciation of a word by its neighbours, or of one that the dictionary lacks.
 * @returns Phones as in the dictionary, or nothing
 */
export function lexiconOf(word: string, before: string = '', after: string = ''): string | undefined {
  const pair = PAIRS[word]
  if (pair !== undefined) {
    const isNoun = BEFORE_NOUN.test(before)
    const isVerb = MOSTLY_VERBS.has(word) ? !isNoun : BEFORE_VERB.test(before) && !(isNoun && before !== 'that')
    return pair[isVerb ? 1 : 0]
  }
  switch (word) {
    case 'live':
      return /^(?:a|the|is|are|go|goes|went)$/.test(before) || LIVE_THING.test(after) ? 'L AY1 V' : 'L IH1 V'
    case 'close':
      return after === 'to' || /^(?:is|are|was|were|be|very|so|too|get|got|a)$/.test(before) ? 'K L OW1 S' : 'K L OW1 Z'
    case 'read':
      return /^(?:have|has|had|was|were|been|is|are|he|she|already|just)$/.test(before) ? 'R EH1 D' : 'R IY1 D'
    case 'lead':
      return /^(?:pipe|pipes|paint|poisoning)$/.test(after) ? 'L EH1 D' : 'L IY1 D'
    default:
      return WORDS[word]
  }
}
