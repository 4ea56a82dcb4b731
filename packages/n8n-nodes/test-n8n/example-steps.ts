/** What is set in a field of the editor. */
export type FieldValue =
  | { readonly text: string }
  | { readonly expression: string }
  /** An entry of the list that the field opens. */
  | { readonly choice: string }
  /** Several entries of the list that the field opens. */
  | { readonly choices: readonly string[] }
  | { readonly isOn: true }
  /** The button with the sparkle beside the field. */
  | { readonly isDefinedByModel: true }

/** A field of a form. */
export interface FieldStep {
  /** As the form shows it. */
  readonly label: string
  /** Name of its parameter. */
  readonly name: string
  readonly value: FieldValue
}

/** One action in the form of a node. */
export type FormStep =
  | (FieldStep & { readonly isOption?: boolean })
  /** Rows of fields, each after a click on the button that adds one, but for those that the form begins with. */
  | {
      readonly label: string
      readonly name: string
      readonly rows: readonly (readonly FieldStep[])[]
      readonly isOption?: boolean
    }
  /** Fields that Edit Fields adds to an item. */
  | { readonly added: readonly { readonly name: string; readonly expression: string }[] }

/** A node of an example. */
export interface NodeStep {
  /** What the node is called on the canvas. */
  readonly node: string
  /** What is typed into the search field of the picker. */
  readonly search: string
  /** The entry of the picker that is clicked. @default what is typed */
  readonly entry?: string
  /** The entry below it, where a node offers several. */
  readonly action?: string
  /** The node below which it is added, and the connection there. @default after the node before it */
  readonly below?: { readonly node: string; readonly plus: string }
  readonly form: readonly FormStep[]
}

/** An example workflow as it is built from an empty canvas. */
export interface ExampleSteps {
  readonly title: string
  /** Name of its file in `examples/`. */
  readonly file: string
  readonly steps: readonly NodeStep[]
}

const text = (label: string, name: string, value: string): FieldStep => ({ label, name, value: { text: value } })
const expression = (label: string, name: string, value: string): FieldStep => ({
  label,
  name,
  value: { expression: value },
})
const choice = (label: string, name: string, value: string): FieldStep => ({ label, name, value: { choice: value } })
const choices = (label: string, name: string, ...values: string[]): FieldStep => ({
  label,
  name,
  value: { choices: values },
})
const byModel = (label: string, name: string): FieldStep => ({ label, name, value: { isDefinedByModel: true } })

/** The eight examples of the README, whose tables are made of these steps. */
export const EXAMPLES: readonly ExampleSteps[] = [
  {
    title: 'Podcast from articles',
    file: 'podcast-from-articles',
    steps: [
      { node: 'Start', search: 'Manual Trigger', form: [] },
      { node: 'Articles', search: 'RSS Read', form: [text('URL', 'url', 'https://example.com/feed.xml')] },
      { node: 'Newest', search: 'Limit', form: [text('Max Items', 'maxItems', '4')] },
      {
        node: 'Script',
        search: 'Edit Fields (Set)',
        form: [
          {
            added: [
              { name: 'speaker', expression: '{{ $itemIndex % 2 === 0 ? "Ann" : "Ben" }}' },
              { name: 'text', expression: '{{ $json.title }}. {{ $json.contentSnippet }}' },
            ],
          },
        ],
      },
      {
        node: 'Speak the Script',
        search: 'Svc Audio',
        action: 'Convert lines to dialogue',
        form: [
          {
            label: 'Speakers',
            name: 'speakers',
            rows: [
              [text('Name', 'name', 'Ann'), choice('Voice', 'voiceId', 'SLT')],
              [text('Name', 'name', 'Ben'), choice('Voice', 'voiceId', 'RMS')],
            ],
          },
          choice('Lines From', 'linesFrom', 'Items'),
          choice('Response Format', 'responseFormat', 'MP3'),
          { ...text('File Name', 'fileName', 'podcast'), isOption: true },
        ],
      },
      {
        node: 'Save',
        search: 'Read/Write Files from Disk',
        action: 'Write File to Disk',
        form: [expression('File Path and Name', 'fileName', '{{ "/tmp/" + $json.fileName }}')],
      },
    ],
  },
  {
    title: 'Meeting notes',
    file: 'meeting-notes',
    steps: [
      {
        node: 'Recording',
        search: 'n8n Form',
        action: 'On new n8n Form event',
        form: [
          text('Form Title', 'formTitle', 'Meeting notes'),
          {
            label: 'Form Elements',
            name: 'formFields',
            rows: [[text('Label', 'fieldLabel', 'Recording'), choice('Element Type', 'fieldType', 'File')]],
          },
        ],
      },
      {
        node: 'Transcribe',
        search: 'Svc Audio',
        action: 'Transcribe a recording',
        form: [
          text('Input Data Field Name', 'binaryPropertyName', 'Recording'),
          choice('Model', 'model', 'svc-transcribe-diarize-pro'),
          choice('Output Format', 'responseFormat', 'Text With Speakers'),
          {
            label: 'Speaker Names',
            name: 'speakerNames',
            isOption: true,
            rows: [
              [text('Speaker', 'label', 'Speaker 1'), text('Name', 'name', 'Ann')],
              [text('Speaker', 'label', 'Speaker 2'), text('Name', 'name', 'Ben')],
            ],
          },
        ],
      },
      {
        node: 'Create Document',
        search: 'Google Docs',
        action: 'Create a document',
        form: [
          expression('Drive Name or ID', 'driveId', 'myDrive'),
          expression('Folder Name or ID', 'folderId', 'default'),
          expression('Title', 'title', "Meeting notes of {{ $today.toFormat('yyyy-MM-dd') }}"),
        ],
      },
      {
        node: 'Write Notes',
        search: 'Google Docs',
        action: 'Update a document',
        form: [
          expression('Doc ID or URL', 'documentURL', '{{ $json.id }}'),
          {
            label: 'Actions',
            name: 'actionsUi',
            rows: [
              [
                choice('Action', 'action', 'Insert'),
                expression('Text', 'text', "{{ $('Transcribe').item.json.text }}"),
              ],
            ],
          },
        ],
      },
    ],
  },
  {
    title: 'Voice agent tool',
    file: 'voice-agent-tool',
    steps: [
      { node: 'Chat', search: 'Chat Trigger', entry: 'Chat', action: 'On new Chat event', form: [] },
      {
        node: 'Assistant',
        search: 'AI Agent',
        form: [
          {
            ...text(
              'System Message',
              'systemMessage',
              'You are a voice assistant. To say something aloud, call the tool Speak and answer with its URL. To understand a recording, call the tool Listen with its URL.',
            ),
            isOption: true,
          },
        ],
      },
      { node: 'Chat Model', search: 'OpenAI Chat Model', below: { node: 'Assistant', plus: 'Chat Model' }, form: [] },
      {
        node: 'Speak',
        search: 'Svc Audio Tool',
        below: { node: 'Assistant', plus: 'Tool' },
        form: [
          choice('Tool Description', 'descriptionType', 'Set Manually'),
          text('Description', 'toolDescription', 'Speaks a text. Answers with the URL of the audio.'),
          byModel('Text', 'text'),
          choice('Voice', 'voice', 'RMS'),
        ],
      },
      {
        node: 'Listen',
        search: 'Svc Audio Tool',
        below: { node: 'Assistant', plus: 'Tool' },
        form: [
          choice('Tool Description', 'descriptionType', 'Set Manually'),
          text('Description', 'toolDescription', 'Transcribes the recording at a URL.'),
          choice('Resource', 'resource', 'Transcription'),
          byModel('URL', 'url'),
        ],
      },
    ],
  },
  {
    title: 'Voice note reply',
    file: 'voice-note-reply',
    steps: [
      {
        node: 'Voice Note',
        search: 'Telegram',
        action: 'On message',
        form: [],
      },
      {
        node: 'Get Recording',
        search: 'Telegram',
        action: 'Get a file',
        form: [expression('File ID', 'fileId', '{{ $json.message.voice.file_id }}')],
      },
      {
        node: 'Understand',
        search: 'Svc Audio',
        action: 'Transcribe a recording',
        form: [choice('Output Format', 'responseFormat', 'Text')],
      },
      {
        node: 'Reply',
        search: 'Edit Fields (Set)',
        form: [{ added: [{ name: 'text', expression: 'You said: {{ $json.text }}' }] }],
      },
      {
        node: 'Speak the Reply',
        search: 'Svc Audio',
        action: 'Convert text to speech',
        form: [
          expression('Text', 'text', '{{ $json.text }}'),
          choice('Voice', 'voice', 'RMS'),
          choice('Response Format', 'responseFormat', 'Ogg Opus'),
          { ...text('File Name', 'fileName', 'reply'), isOption: true },
        ],
      },
      {
        node: 'Send',
        search: 'Telegram',
        action: 'Send an audio file',
        form: [
          expression('Chat ID', 'chatId', "{{ $('Voice Note').first().json.message.chat.id }}"),
          { label: 'Binary File', name: 'binaryData', value: { isOn: true } },
        ],
      },
    ],
  },
  {
    title: 'Speak and listen',
    file: 'speak-and-listen',
    steps: [
      { node: 'Start', search: 'Manual Trigger', form: [] },
      {
        node: 'Speak',
        search: 'Svc Audio',
        action: 'Convert text to speech',
        form: [text('Text', 'text', 'Good morning.'), choice('Voice', 'voice', 'RMS')],
      },
      { node: 'Listen', search: 'Svc Audio', action: 'Transcribe a recording', form: [] },
    ],
  },
  {
    title: 'Minutes and subtitles',
    file: 'minutes-and-subtitles',
    steps: [
      { node: 'Start', search: 'Manual Trigger', form: [] },
      {
        node: 'Recordings',
        search: 'Read/Write Files from Disk',
        action: 'Read File(s) From Disk',
        form: [text('File(s) Selector', 'fileSelector', '/files/recordings/*')],
      },
      {
        node: 'Transcribe',
        search: 'Svc Audio',
        action: 'Transcribe a recording',
        form: [
          choice('Model', 'model', 'svc-transcribe-diarize-pro'),
          choice('Output Format', 'responseFormat', 'Text'),
          choices('More Files', 'files', 'Markdown Minutes', 'SRT Subtitles'),
        ],
      },
      {
        node: 'Save Minutes',
        search: 'Read/Write Files from Disk',
        action: 'Write File to Disk',
        form: [
          expression('File Path and Name', 'fileName', '{{ "/files/" + $json.files.markdown.fileName }}'),
          text('Input Binary Field', 'dataPropertyName', 'markdown'),
        ],
      },
      {
        node: 'Save Subtitles',
        search: 'Read/Write Files from Disk',
        action: 'Write File to Disk',
        form: [
          expression(
            'File Path and Name',
            'fileName',
            `{{ "/files/" + $('Transcribe').item.json.files.srt.fileName }}`,
          ),
          text('Input Binary Field', 'dataPropertyName', 'srt'),
        ],
      },
    ],
  },
  {
    title: 'Chat with a voice file',
    file: 'chat-with-a-voice-file',
    steps: [
      {
        node: 'Chat',
        search: 'Chat Trigger',
        entry: 'Chat',
        action: 'On new Chat event',
        form: [{ label: 'Allow File Uploads', name: 'allowFileUploads', value: { isOn: true }, isOption: true }],
      },
      {
        node: 'Store',
        search: 'Svc Audio',
        action: 'Upload file',
        form: [text('Input Data Field Name', 'binaryPropertyName', 'data0')],
      },
      {
        node: 'Assistant',
        search: 'AI Agent',
        form: [
          choice('Source for Prompt (User Message)', 'promptType', 'Define below'),
          expression('Prompt (User Message)', 'text', "{{ $('Chat').first().json.chatInput }}"),
          {
            ...text(
              'System Message',
              'systemMessage',
              'You answer questions about a recording. To know what is said in it, call the tool Listen.',
            ),
            isOption: true,
          },
        ],
      },
      { node: 'Chat Model', search: 'OpenAI Chat Model', below: { node: 'Assistant', plus: 'Chat Model' }, form: [] },
      {
        node: 'Listen',
        search: 'Svc Audio Tool',
        below: { node: 'Assistant', plus: 'Tool' },
        form: [
          choice('Tool Description', 'descriptionType', 'Set Manually'),
          text('Description', 'toolDescription', 'Transcribes the recording of the chat.'),
          choice('Resource', 'resource', 'Transcription'),
          choice('Audio Source', 'source', 'File'),
          expression('File', 'fileId', "{{ $('Store').first().json.id }}"),
        ],
      },
    ],
  },
  {
    title: 'Wait for a task',
    file: 'wait-for-a-task',
    steps: [
      { node: 'Start', search: 'Manual Trigger', form: [] },
      {
        node: 'Start speech task',
        search: 'Svc Audio',
        action: 'Start speech task',
        form: [
          text('Text', 'text', 'The train to the coast leaves at seven.'),
          choice('Voice', 'voice', 'RMS'),
          expression('Webhook URL', 'webhookUrl', '{{ $execution.resumeUrl }}'),
        ],
      },
      {
        node: 'Wait',
        search: 'Wait',
        form: [choice('Resume', 'resume', 'On Webhook Call'), choice('HTTP Method', 'httpMethod', 'POST')],
      },
      { node: 'Wait for task', search: 'Svc Audio', action: 'Wait for task', form: [] },
    ],
  },
]

/** The rows of an example's table in the README: node, what to search for, and fields. */
export function renderSteps({ steps }: ExampleSteps): string[][] {
  return steps.map((step) => [step.node, searchOf(step), step.form.map(formText).join('; ')])
}

function searchOf({ search, entry, action, below }: NodeStep): string {
  return [
    search,
    ...(entry === undefined ? [] : [`entry **${entry}**`]),
    ...(action === undefined ? [] : [`action **${action}**`]),
    ...(below === undefined ? [] : [`at **${below.plus}** of ${below.node}`]),
  ].join(', ')
}

function formText(step: FormStep): string {
  if ('added' in step) {
    const fields = step.added.map((field) => `\`${field.name}\` with the expression \`${field.expression}\``)
    return `**Fields to Set** ${fields.join(', ')}`
  }
  const start = step.isOption === true ? 'option ' : ''
  if ('rows' in step) {
    const rows = step.rows.map((row) => row.map((field) => fieldText(field)).join(', '))
    return `${start}**${step.label}**: ${rows.join(', then ')}`
  }
  return start + fieldText(step)
}

function fieldText({ label, value }: FieldStep): string {
  return `**${label}** ${valueText(value)}`
}

function valueText(value: FieldValue): string {
  if ('text' in value) return `\`${value.text}\``
  if ('expression' in value) return `with the expression \`${value.expression}\``
  if ('choice' in value) return value.choice
  if ('choices' in value) return value.choices.join(' and ')
  return 'isOn' in value ? 'on' : 'defined by the model'
}
