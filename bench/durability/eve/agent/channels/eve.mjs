import { httpBasic } from 'eve/channels/auth';
import { eveChannel } from 'eve/channels/eve';

export default eveChannel({ auth: [httpBasic({ username: 'client', password: 'secret' })] });
