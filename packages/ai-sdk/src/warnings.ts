/** A warning of this provider. Every version of the AI SDK from 6 has this form. */
export type Warning<Feature extends string = string> =
  | {
      /** The setting has no effect. */
      type: 'unsupported'
      /** Name of the setting. */
      feature: Feature
      /** The reason and the remedy, as a sentence. */
      details: string
    }
  | {
      /** The setting takes effect in another way than it says. */
      type: 'compatibility'
      /** Name of the setting. */
      feature: Feature
      /** What happens instead, as a sentence. */
      details: string
    }

/** The setting has no effect. */
export function unsupported<Feature extends string>(feature: Feature, details: string): Warning<Feature> {
  return { type: 'unsupported', feature, details }
}

/** The setting takes effect in another way than it says. */
export function compatibility<Feature extends string>(feature: Feature, details: string): Warning<Feature> {
  return { type: 'compatibility', feature, details }
}

/** A warning in the form of AI SDK 5. */
export type WarningV2<Setting extends string> =
  | {
      /** The setting has no effect. */
      type: 'unsupported-setting'
      /** Name of the setting. */
      setting: Setting
      /** The reason and the remedy, as a sentence. */
      details: string
    }
  | {
      /** Anything else. */
      type: 'other'
      /** What happens, as a sentence. */
      message: string
    }

/** Converts a warning for AI SDK 5. */
export function warningV2<Setting extends string>(warning: Warning<Setting>): WarningV2<Setting> {
  return warning.type === 'unsupported'
    ? { type: 'unsupported-setting', setting: warning.feature, details: warning.details }
    : { type: 'other', message: warning.details }
}
