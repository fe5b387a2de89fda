// Records what SillyTavern sends to a «Custom (OpenAI-compatible)» endpoint, for tests/plugins/proxy.
//
//   npm install playwright-core; a SillyTavern that runs: node server.js --port 8899 --disableCsrf
//   CHROMIUM=/usr/bin/chromium node scripts/record_sillytavern.mjs > tests/plugins/proxy/sillytavern_VERSION.jsonl
//
// It drives the front end in a browser: two characters and a few lines made for it, in a chat with one of them and in
// a group, with each of the four settings of «Character Names Behavior». A line of the recording is a request: the step,
// the headers X-Earwitness-…, the body, and what the model answered. Use a SillyTavern with nothing of your own in it.
import http from 'node:http';
import { chromium } from 'playwright-core';

const SILLYTAVERN = process.env.SILLYTAVERN ?? 'http://127.0.0.1:8899/';
const MODES = [[0, 'default'], [-1, 'none'], [2, 'content'], [1, 'completion']];
let step = '', answers = 0;

const model = http.createServer((request, response) => {
    let sent = '';
    request.on('data', piece => sent += piece);
    request.on('end', () => {
        if (request.method === 'GET') return response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
        const body = JSON.parse(sent), answer = `Answer ${++answers}.`;
        const own = Object.entries(request.headers).filter(([name]) => name.startsWith('x-')).sort();
        console.log(JSON.stringify({ step, headers: Object.fromEntries(own), body, answer }));
        const choice = body.stream ? { delta: { content: answer } } : { message: { role: 'assistant', content: answer } };
        const said = JSON.stringify({ choices: [{ index: 0, ...choice, finish_reason: 'stop' }] });
        response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json');
        response.end(body.stream ? `data: ${said}\n\ndata: [DONE]\n\n` : said);
    });
});
await new Promise(done => model.listen(0, '127.0.0.1', done));
const endpoint = `http://127.0.0.1:${model.address().port}/v1`;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.exposeFunction('mark', name => { step = name; });
await page.goto(SILLYTAVERN, { timeout: 120_000 });
await page.waitForFunction(() => globalThis.SillyTavern && !document.querySelector('#preloader'), null, { timeout: 120_000 });
await page.waitForTimeout(2500);

await page.evaluate(async ({ endpoint, MODES }) => {
    const now = () => SillyTavern.getContext();
    const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
    const post = (path, body) => {
        const headers = { ...now().getRequestHeaders() };
        if (body instanceof FormData) delete headers['Content-Type'];
        return fetch(path, { method: 'POST', headers, body });
    };
    const generate = async (name, type) => { await mark(name); await now().generate(type); await wait(1500); };
    const press = async (name, button) => { await mark(name); $(button).trigger('click'); await wait(4000); };
    const say = (name, text) => { $('#send_textarea').val(text); return generate(name, 'normal'); };
    const impersonate = async name => { await generate(name, 'impersonate'); $('#send_textarea').val(''); };

    const welcome = document.querySelector('dialog[open] .popup-input') ?? document.querySelector('dialog[open] textarea');
    if (welcome) {
        welcome.value = 'Kim';
        welcome.dispatchEvent(new Event('input'));
        document.querySelector('dialog[open] .popup-button-ok').click();
        await wait(1500);
    }
    $('#main_api').val('openai').trigger('change');
    $('#chat_completion_source').val('custom').trigger('change');
    $('#custom_api_url_text').val(endpoint).trigger('input');
    const fields = { Session: 'inn', User: '{{user}}', Character: '{{char}}', Cast: '{{group}}', Action: '{{lastGenerationType}}' };
    const settings = now().chatCompletionSettings;
    settings.custom_model = 'm';
    settings.stream_openai = true;
    settings.custom_include_headers = Object.entries(fields).map(([name, value]) => `X-Earwitness-${name}: "${value}"`).join('\n');
    const table = Object.entries(fields).map(([name, value]) => `  ${name.toLowerCase()}: "${value}"`);
    settings.custom_include_body = ['earwitness:', ...table].join('\n');
    $('#api_button_openai').trigger('click');
    await wait(2500);

    for (const [name, greeting] of [['Mira', 'You are late.'], ['Bob Reed', 'It is raining.']]) {
        const card = new FormData();
        const example = '<START>\n{{user}}: Any rooms?\n{{char}}: One.';
        for (const [key, value] of Object.entries({
            ch_name: name, description: `${name} is at the inn.`, first_mes: greeting, mes_example: example,
            personality: '', scenario: '', creator_notes: '', system_prompt: '', post_history_instructions: '', tags: '',
            creator: '', character_version: '', talkativeness: '0.5', fav: 'false', world: '', json_data: '', extensions: '{}',
            depth_prompt_prompt: '', depth_prompt_depth: '4', depth_prompt_role: 'system',
        })) card.append(key, value);
        await post('/api/characters/create', card);
    }
    await now().getCharacters();

    for (const [mode, label] of MODES) {
        settings.names_behavior = mode;
        await now().selectCharacterById(now().characters.findIndex(each => each.name === 'Mira'));
        await wait(800);
        await now().executeSlashCommandsWithOptions('/newchat');
        await wait(1000);
        await say(`single ${label}: first line`, 'I am hungry.');
        await generate(`single ${label}: regenerate`, 'regenerate');
        if (label === 'default') {
            await press('single default: swipe', '.last_mes .swipe_right');
            await generate('single default: continue', 'continue');
            await impersonate('single default: impersonate');
            await mark('single default: quiet');
            await now().executeSlashCommandsWithOptions('/gen Name the inn.');
        }
        await say(`single ${label}: second line`, 'Both.');
    }

    const members = now().characters.filter(each => ['Mira', 'Bob Reed'].includes(each.name)).map(each => each.avatar);
    const group = {
        name: 'The inn', members, avatar_url: '', allow_self_responses: false, activation_strategy: 1, generation_mode: 0,
        disabled_members: [], chat_metadata: {}, fav: false, chat_id: 'inn', chats: ['inn'],
    };
    const { id } = await (await post('/api/groups/create', JSON.stringify(group))).json();
    await now().getCharacters();
    await wait(800);
    $(`.group_select[data-grid="${id}"]`).trigger('click');
    await wait(2500);
    for (const [mode, label] of MODES) {
        settings.names_behavior = mode;
        if (label !== 'default') await now().executeSlashCommandsWithOptions('/newchat');
        await wait(1500);
        await say(`group ${label}: first line`, 'Good evening.');
        await say(`group ${label}: second line`, 'Is there a room?');
        if (label === 'default') {
            await generate('group default: continue', 'continue');
            await generate('group default: another round', 'normal');
            await press('group default: swipe', '.last_mes .swipe_right');
            await press('group default: regenerate', '#option_regenerate');
            await say('group default: third line', 'Thank you.');
            await impersonate('group default: impersonate');
        }
    }
}, { endpoint, MODES });
await browser.close();
model.close();
