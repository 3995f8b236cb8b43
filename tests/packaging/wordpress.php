<?php
// A stand-in for WordPress: it loads the plugin, does what the request on standard input says, and prints the result.
$request = json_decode( stream_get_contents( STDIN ), true );
$state   = array( 'hooks' => array(), 'errors' => array(), 'scripts' => array(), 'options' => $request['options'] ?? array() );

define( 'ABSPATH', '/' );
function add_action( $name, $function ) { $GLOBALS['state']['hooks'][ $name ][] = $function; }
function add_filter( $name, $function ) { add_action( $name, $function ); }
function get_option( $name ) { return $GLOBALS['state']['options'][ $name ] ?? false; }
define( 'DAY_IN_SECONDS', 86400 );
function get_transient( $name ) { return $GLOBALS['state']['transients'][ $name ] ?? false; }
function set_transient( $name, $value ) { $GLOBALS['state']['transients'][ $name ] = $value; }
function delete_option( $name ) { unset( $GLOBALS['state']['options'][ $name ] ); }
function is_multisite() { return false; }
function is_admin() { return in_array( 'admin', $GLOBALS['request']['on'] ?? array(), true ); }
function is_preview() { return in_array( 'preview', $GLOBALS['request']['on'] ?? array(), true ); }
function is_customize_preview() { return in_array( 'customizer', $GLOBALS['request']['on'] ?? array(), true ); }
function is_user_logged_in() { return isset( $GLOBALS['request']['roles'] ); }
function wp_get_current_user() { return (object) array( 'roles' => $GLOBALS['request']['roles'] ); }
function current_user_can() { return true; }
function wp_roles() { return new Roles(); }
function plugin_basename( $file ) { return basename( $file ); }
function admin_url( $path ) { return 'https://shop.example/wp-admin/' . $path; }
function sanitize_key( $text ) { return preg_replace( '/[^a-z0-9_-]/', '', strtolower( $text ) ); }
function esc_attr( $text ) { return htmlspecialchars( $text, ENT_QUOTES ); }
function esc_html( $text ) { return esc_attr( $text ); }
function esc_url( $text ) { return esc_attr( $text ); }
function __( $text ) { return $text; }
function esc_html__( $text ) { return esc_html( $text ); }
function checked( $value ) { return $value ? ' checked' : ''; }
function settings_fields( $name ) { echo "<input type='hidden' name='option_page' value='$name'>"; }
function submit_button() { echo '<button>Save</button>'; }
function wp_json_encode( $value, $flags = 0 ) { return json_encode( $value, $flags ); }
function register_setting( $group, $name, $rest ) { $GLOBALS['state']['sanitize'] = $rest['sanitize_callback']; }
function add_options_page( $title, $menu, $capability, $slug, $function ) { $GLOBALS['state']['page'] = $function; }
function add_settings_error( $name, $field, $text ) { $GLOBALS['state']['errors'][ $field ] = $text; }
function wp_print_script_tag( $attributes ) { $GLOBALS['state']['scripts'][] = $attributes; }
function wp_print_inline_script_tag( $code ) { $GLOBALS['state']['scripts'][] = $code; }

class Roles {
	public function get_names() { return array( 'administrator' => 'Administrator', 'subscriber' => 'Subscriber' ); }
}

class Order {
	public $given;
	public function __construct( $given ) { $this->given = $given; }
	public function has_status( $status ) { return $this->given['status'] === $status; }
	public function get_total() { return $this->given['total']; }
	public function get_currency() { return $this->given['currency']; }
	public function get_order_number() { return $this->given['number']; }
	public function get_id() { return $this->given['id']; }
}
if ( isset( $request['order'] ) ) {
	function wc_get_order() { return new Order( $GLOBALS['request']['order'] ); }
}

function run_hook( $name, ...$given ) {
	foreach ( $GLOBALS['state']['hooks'][ $name ] ?? array() as $function ) {
		$function( ...$given );
	}
}

require $argv[1] . '/analytics-box.php';
ob_start();
run_hook( $request['hook'] ?? 'wp_head' );
for ( $loads = $request['loads'] ?? 1; $loads > 0 && isset( $request['order'] ); $loads-- ) {
	run_hook( 'woocommerce_thankyou', $request['order']['id'] );
}
if ( isset( $request['form'] ) ) {
	$state['saved'] = ( $state['sanitize'] )( $request['form'] );
}
if ( isset( $state['page'] ) ) {
	( $state['page'] )();
}
if ( ! empty( $request['uninstall'] ) ) {
	define( 'WP_UNINSTALL_PLUGIN', true );
	require $argv[1] . '/uninstall.php';
}
$state['html'] = ob_get_clean();
unset( $state['hooks'], $state['sanitize'], $state['page'] );
echo json_encode( $state );
